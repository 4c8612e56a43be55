-- An intent never gives back more than it took, each refund is counted once, and what a reservation has stored of an intent is not
-- more than what the payment service captured with it, for the same reservation.
WITH paid AS (
    SELECT r.reservation_id, p.entry ->> 'paymentIntentId' AS intent, (p.entry ->> 'capturedMicro')::bigint AS captured
    FROM reservation.reservations AS r
    CROSS JOIN LATERAL jsonb_array_elements(CASE jsonb_typeof(r.payments) WHEN 'array' THEN r.payments ELSE '[]' END) AS p (entry)
), intents AS (
    SELECT i.*, 'pyi_' || (SELECT string_agg(substr('0123456789ABCDEFGHJKMNPQRSTVWXYZ', substring(
               B'00' || ('x' || replace(i.intent_id::text, '-', ''))::bit(128) FROM 5 * n + 1 FOR 5)::int + 1, 1), '' ORDER BY n)
           FROM generate_series(0, 25) AS n) AS name
    FROM sandbox.intents AS i
)
SELECT i.intent_id, 'refunds' AS wrong, i.captured_micro, i.refunded_micro
FROM intents AS i
WHERE i.refunded_micro > i.captured_micro
   OR i.refunded_micro <> (SELECT coalesce(sum(f.amount_micro), 0) FROM sandbox.refunds AS f WHERE f.intent_id = i.intent_id)
UNION ALL
SELECT i.intent_id, 'captured', i.captured_micro, p.captured
FROM paid AS p
JOIN intents AS i ON i.name = p.intent
WHERE p.captured > i.captured_micro OR i.reservation_id <> p.reservation_id
UNION ALL
SELECT r.payment_intent_id, 'sum', r.captured_micro, coalesce(sum(p.captured), 0)::bigint
FROM reservation.reservations AS r
JOIN paid AS p USING (reservation_id)
GROUP BY r.reservation_id, r.payment_intent_id, r.captured_micro
HAVING r.captured_micro <> coalesce(sum(p.captured), 0);
