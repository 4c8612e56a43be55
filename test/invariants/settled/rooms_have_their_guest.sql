-- Once nothing is in flight, the rooms that are taken are exactly those of reservations that live.
SELECT 'taken by nobody' AS wrong, a.allocation_id, a.reservation_id, a.state, r.state AS reservation_state
FROM sandbox.allocations AS a
LEFT JOIN reservation.reservations AS r ON r.reservation_id = a.reservation_id
LEFT JOIN reservation.holds AS h ON h.hold_id = r.hold_id
WHERE sandbox.takes(a.state, a.expires_at, platform.now())
  AND NOT coalesce(r.state IN ('held', 'confirmed') AND a.allocation_id = ANY (h.allocation_ids), false)
UNION ALL
SELECT 'promised but not taken', w.allocation_id, r.reservation_id, a.state, r.state
FROM reservation.reservations AS r
JOIN reservation.holds AS h ON h.hold_id = r.hold_id
CROSS JOIN LATERAL unnest(h.allocation_ids) AS w (allocation_id)
LEFT JOIN sandbox.allocations AS a ON a.allocation_id = w.allocation_id
WHERE r.state = 'confirmed' AND a.state IS DISTINCT FROM 'committed';
