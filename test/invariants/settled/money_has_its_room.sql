-- Once nothing is in flight, a hotel keeps the price of its booked stays, the penalties of its cancelled reservations, no-shows and early
-- departures, and no other money. What this service has requested is refunded exactly, and of a surplus at most that. A hotel may
-- refund more by hand, for reasons of its own. After a manual override, refunds that were requested before are due again.
WITH owed AS (
    SELECT r.*,
           CASE WHEN r.state IN ('held', 'expired_hold') THEN 0
                ELSE (SELECT coalesce(sum(c.amount_micro), 0) FROM reservation.reservation_charges AS c
                      WHERE c.reservation_id = r.reservation_id AND c.cause <> 'goodwill')
           END AS owed,
           -- the lowest price since the booking was changed first: a refund that was right then stays right after a change to a higher price,
           -- which the guest may pay later
           (SELECT min(r.grand_total_micro - m.later) FROM (
               SELECT coalesce(sum(m.price_delta_micro) OVER (ORDER BY m.version DESC ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0) AS later
               FROM reservation.modifications AS m WHERE m.reservation_id = r.reservation_id) AS m) AS lowest,
           EXISTS (SELECT FROM reservation.modifications AS m
                   WHERE m.reservation_id = r.reservation_id AND m.type = 'manual_state_override') AS overridden
    FROM reservation.reservations AS r
), refunds AS (
    SELECT f.*, 'rfd_' || (SELECT string_agg(substr('0123456789ABCDEFGHJKMNPQRSTVWXYZ', substring(
               B'00' || ('x' || replace(f.refund_id::text, '-', ''))::bit(128) FROM 5 * n + 1 FOR 5)::int + 1, 1), '' ORDER BY n)
           FROM generate_series(0, 25) AS n) AS name
    FROM sandbox.refunds AS f
), intents AS (
    SELECT i.*, 'pyi_' || (SELECT string_agg(substr('0123456789ABCDEFGHJKMNPQRSTVWXYZ', substring(
               B'00' || ('x' || replace(i.intent_id::text, '-', ''))::bit(128) FROM 5 * n + 1 FOR 5)::int + 1, 1), '' ORDER BY n)
           FROM generate_series(0, 25) AS n) AS name
    FROM sandbox.intents AS i
), asked AS ( -- the refunds that a reservation has requested in its events
    SELECT r.reservation_id, a.entry ->> 'refundId' AS name, a.entry ->> 'paymentIntentId' AS intent, (a.entry ->> 'amountMicro')::bigint AS amount
    FROM reservation.reservations AS r
    CROSS JOIN LATERAL (VALUES (r.refund_requests), (r.cancellation -> 'paymentRefundsRequested')) AS l (list)
    CROSS JOIN LATERAL jsonb_array_elements(CASE jsonb_typeof(l.list) WHEN 'array' THEN l.list ELSE '[]' END) AS a (entry)
    GROUP BY 1, 2, 3, 4 -- a cancellation may be in both lists
), money AS (
    SELECT i.*, i.captured_micro - i.refunded_micro AS kept, f.requested, f.by_service, a.asked, p.stored
    FROM intents AS i
    CROSS JOIN LATERAL (
        SELECT coalesce(sum(f.amount_micro) FILTER (WHERE f.requested), 0) AS requested,
               coalesce(sum(f.amount_micro) FILTER (WHERE f.requested OR f.reason IN ('surplus', 'bought nothing')), 0) AS by_service
        FROM (SELECT f.*, f.reason = 'reservation cancelled' OR EXISTS (SELECT FROM asked AS a WHERE a.name = f.name) AS requested
              FROM refunds AS f WHERE f.intent_id = i.intent_id) AS f) AS f
    CROSS JOIN LATERAL (SELECT coalesce(sum(a.amount), 0) AS asked FROM asked AS a WHERE a.intent = i.name) AS a
    LEFT JOIN LATERAL ( -- what the reservation knows of the intent
        SELECT (p.entry ->> 'capturedMicro')::bigint AS stored
        FROM reservation.reservations AS r
        CROSS JOIN LATERAL jsonb_array_elements(CASE jsonb_typeof(r.payments) WHEN 'array' THEN r.payments ELSE '[]' END) AS p (entry)
        WHERE r.reservation_id = i.reservation_id AND p.entry ->> 'paymentIntentId' = i.name
        UNION ALL
        SELECT r.captured_micro FROM reservation.reservations AS r
        WHERE r.payment_intent_id = i.intent_id AND jsonb_typeof(r.payments) IS DISTINCT FROM 'array') AS p ON true
)
SELECT 'pays for nothing' AS wrong, m.reservation_id, m.intent_id, m.kept, m.stored
FROM money AS m
WHERE m.kept > 0 AND m.captured_micro IS DISTINCT FROM m.stored
UNION ALL
SELECT 'requested and not refunded', m.reservation_id, m.intent_id, m.asked, m.requested
FROM money AS m
WHERE m.requested < m.asked AND m.kept > 0 -- a refund by hand may have left less than was requested
UNION ALL
SELECT 'refunded and not requested', m.reservation_id, m.intent_id, m.asked, m.requested
FROM money AS m
WHERE m.requested > m.asked
UNION ALL
SELECT 'kept too much', m.reservation_id, NULL, sum(m.kept), coalesce(o.owed, 0)
FROM money AS m
LEFT JOIN owed AS o USING (reservation_id)
GROUP BY m.reservation_id, o.owed
HAVING sum(m.kept) > coalesce(o.owed, 0)
UNION ALL
SELECT 'refunded too much', o.reservation_id, NULL, sum(m.captured_micro - m.by_service), o.owed
FROM money AS m
JOIN owed AS o USING (reservation_id)
WHERE m.stored > 0 AND NOT o.overridden
GROUP BY o.reservation_id, o.owed, o.lowest
HAVING sum(m.captured_micro - m.by_service) < least(o.owed, o.lowest, sum(m.captured_micro));
