-- Once nothing is in flight, the money a hotel keeps is exactly the money of its confirmed reservations.
SELECT i.intent_id, i.reservation_id, r.state, i.captured_micro - i.refunded_micro AS kept
FROM sandbox.intents AS i
LEFT JOIN reservation.reservations AS r ON r.reservation_id = i.reservation_id
WHERE i.captured_micro - i.refunded_micro
   <> CASE WHEN r.state = 'confirmed' AND r.payment_intent_id = i.intent_id THEN r.captured_micro ELSE 0 END;
