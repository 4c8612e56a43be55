-- Once nothing is in flight, a hotel keeps the money of its booked reservations, the penalties of its cancelled ones, and no other. What
-- a cancellation has requested is refunded exactly, and of a surplus at most that. A hotel may refund more by hand, for reasons of its own.
WITH money AS (
    SELECT i.intent_id, i.reservation_id, r.state, i.captured_micro, i.captured_micro - i.refunded_micro AS kept,
           r.grand_total_micro AS price, coalesce(r.payment_intent_id = i.intent_id, false) AS pays,
           (r.cancellation -> 'policyApplied' ->> 'penaltyMicro')::bigint AS penalty,
           (SELECT coalesce(sum((q.asked ->> 'amountMicro')::bigint), 0)
            FROM jsonb_array_elements(CASE jsonb_typeof(r.cancellation -> 'paymentRefundsRequested') WHEN 'array'
                THEN r.cancellation -> 'paymentRefundsRequested' ELSE '[]' END) AS q (asked)) AS requested,
           f.cancelled, f.surplus, f.nothing
    FROM sandbox.intents AS i
    LEFT JOIN reservation.reservations AS r ON r.reservation_id = i.reservation_id
    CROSS JOIN LATERAL (
        SELECT coalesce(sum(f.amount_micro) FILTER (WHERE f.reason = 'reservation cancelled'), 0) AS cancelled,
               coalesce(sum(f.amount_micro) FILTER (WHERE f.reason = 'surplus'), 0) AS surplus,
               coalesce(sum(f.amount_micro) FILTER (WHERE f.reason = 'bought nothing'), 0) AS nothing
        FROM sandbox.refunds AS f
        WHERE f.intent_id = i.intent_id) AS f
)
SELECT intent_id, reservation_id, state, kept, price, penalty, requested, cancelled, surplus, nothing
FROM money
WHERE CASE
    WHEN NOT pays OR state IN ('held', 'expired_hold') THEN kept <> 0
    WHEN state = 'cancelled' THEN kept > penalty OR cancelled <> requested
    ELSE kept > price OR cancelled <> 0 -- from the check-in on, and for a no-show, a part may have gone back
END
OR pays AND (nothing <> 0 OR surplus > greatest(captured_micro - price, 0));
