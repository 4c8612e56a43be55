-- A hold has one outcome, and it is its reservation's. A no-show and an early check-out release their rooms.
SELECT r.reservation_id, r.state, h.hold_id, h.status
FROM reservation.reservations AS r
LEFT JOIN reservation.holds AS h ON h.hold_id = r.hold_id AND h.reservation_id = r.reservation_id
WHERE h.hold_id IS NULL OR h.status <> ALL (CASE r.state
    WHEN 'held' THEN ARRAY['live']
    WHEN 'expired_hold' THEN ARRAY['expired']
    WHEN 'cancelled' THEN ARRAY['released', 'expired']
    WHEN 'no_show' THEN ARRAY['released']
    WHEN 'checked_out' THEN ARRAY[CASE jsonb_typeof(r.check_out -> 'earlyCheckout') WHEN 'object' THEN 'released' ELSE 'committed' END]
    ELSE ARRAY['committed'] END);
