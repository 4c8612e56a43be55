-- Once nothing is in flight, the rooms that are taken are exactly those of reservations that live, and of guests who left on the last day.
SELECT 'taken by nobody' AS wrong, a.allocation_id, a.reservation_id, a.state, r.state AS reservation_state
FROM sandbox.allocations AS a
LEFT JOIN reservation.reservations AS r ON r.reservation_id = a.reservation_id
LEFT JOIN reservation.holds AS h ON h.hold_id = r.hold_id
WHERE sandbox.takes(a.state, a.expires_at, platform.now())
  AND NOT coalesce(a.allocation_id = ANY (h.allocation_ids)
      AND (r.state IN ('held', 'confirmed', 'check_in_started', 'checked_in', 'checkout_started')
           OR r.state = 'checked_out' AND h.status = 'committed'), false)
  AND NOT coalesce(r.state = 'confirmed' AND a.state = 'held' -- waits for the payment of a change, whose rooms are held one range after the other
      AND (r.pending_change ->> 'until')::timestamptz >= a.expires_at - interval '3 seconds'
      AND jsonb_array_length(r.pending_change -> 'heldAllocationIds') >= (
          SELECT count(*) FROM sandbox.allocations AS other
          WHERE other.reservation_id = a.reservation_id AND other.state = 'held' AND sandbox.takes(other.state, other.expires_at, platform.now())), false)
UNION ALL
SELECT 'promised but not taken', w.allocation_id, r.reservation_id, a.state, r.state
FROM reservation.reservations AS r
JOIN reservation.holds AS h ON h.hold_id = r.hold_id
CROSS JOIN LATERAL unnest(h.allocation_ids) AS w (allocation_id)
LEFT JOIN sandbox.allocations AS a ON a.allocation_id = w.allocation_id
WHERE r.state IN ('confirmed', 'check_in_started', 'checked_in', 'checkout_started') AND a.state IS DISTINCT FROM 'committed'
UNION ALL
SELECT 'a room of a guest who is not booked', n.room_id, n.reservation_id, n.night::text, r.state
FROM reservation.room_nights AS n
JOIN reservation.reservations AS r USING (tenant_id, reservation_id)
WHERE r.state NOT IN ('confirmed', 'check_in_started', 'checked_in', 'checkout_started', 'checked_out')
   OR n.night < r.stay_start OR n.night >= r.stay_end
UNION ALL
SELECT 'a guest in the house without a room', i.room_id, r.reservation_id, i.item_id::text, r.state
FROM reservation.reservations AS r
JOIN reservation.reservation_items AS i USING (tenant_id, reservation_id)
WHERE r.state IN ('check_in_started', 'checked_in', 'checkout_started') AND (i.arrived_at IS NOT NULL OR r.expected_rooms = 0)
  AND NOT EXISTS (
      SELECT FROM reservation.room_nights AS n
      WHERE n.tenant_id = r.tenant_id AND n.room_id = i.room_id AND n.reservation_id = r.reservation_id AND n.night = r.stay_end - 1);
