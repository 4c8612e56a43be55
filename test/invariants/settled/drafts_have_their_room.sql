-- Once nothing is in flight, a draft that was converted has its confirmed reservation, which knows its guest, and one that
-- came to nothing has none.
SELECT d.draft_id, d.state, r.reservation_id, r.state AS reservation_state, g.guest_id IS NOT NULL AS named
FROM bff_tenant_booking.booking_drafts AS d
LEFT JOIN reservation.reservations AS r ON r.tenant_id = d.tenant_id AND r.reservation_id = d.reservation_id
LEFT JOIN reservation.guests AS g ON g.reservation_id = r.reservation_id
WHERE d.state = 'confirmed' AND (r.confirmed_at IS NULL OR g.guest_id IS NULL)
   OR d.state IN ('abandoned', 'failed') AND r.state IN ('held', 'confirmed') AND r.confirmed_at IS NOT NULL
   OR d.state NOT IN ('quoting', 'abandoned') AND r.reservation_id IS NULL;
