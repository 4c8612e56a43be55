-- An intent never gives back more than it took, each refund is counted once, and what a reservation says was
-- captured for it is what the payment service captured.
SELECT i.intent_id, 'refunds' AS wrong, i.captured_micro, i.refunded_micro
FROM sandbox.intents AS i
WHERE i.refunded_micro > i.captured_micro
   OR i.refunded_micro <> (SELECT coalesce(sum(f.amount_micro), 0) FROM sandbox.refunds AS f WHERE f.intent_id = i.intent_id)
UNION ALL
SELECT i.intent_id, 'captured', i.captured_micro, r.captured_micro
FROM reservation.reservations AS r
JOIN sandbox.intents AS i ON i.intent_id = r.payment_intent_id
WHERE r.captured_micro <> i.captured_micro OR i.reservation_id <> r.reservation_id;
