-- The account of a reservation is its price: while the stay stands, the charges without goodwill sum to the total, those of each night to
-- the price of that night, and after a cancellation, a no-show or an early departure only what was kept remains.
WITH account AS (
    SELECT r.reservation_id, r.state, r.grand_total_micro AS total, r.check_out -> 'earlyCheckout' IS NOT NULL AS left_early,
           coalesce(r.cancellation, r.no_show, r.check_out -> 'earlyCheckout') -> 'policyApplied' ->> 'penaltyMicro' AS penalty,
           (r.check_out -> 'earlyCheckout' ->> 'priceMicro')::bigint AS early_price,
           (SELECT coalesce(sum(c.amount_micro), 0) FROM reservation.reservation_charges AS c
            WHERE c.reservation_id = r.reservation_id AND c.cause <> 'goodwill') AS charged
    FROM reservation.reservations AS r
)
SELECT 'the total is not the sum of the charges' AS wrong, a.reservation_id, a.total AS want, a.charged AS got
FROM account AS a
WHERE a.state NOT IN ('cancelled', 'no_show') AND NOT a.left_early AND a.total <> a.charged
UNION ALL
SELECT 'the account of an ended stay is not what was kept', a.reservation_id, coalesce(a.early_price, a.penalty::bigint), a.charged
FROM account AS a
WHERE (a.state IN ('cancelled', 'no_show') OR a.left_early) AND coalesce(a.early_price, a.penalty::bigint) <> a.charged
UNION ALL
SELECT 'a night is not charged at its price', i.reservation_id, (n.night ->> 'amountMicro')::bigint, coalesce(c.charged, 0)
FROM reservation.reservation_items AS i
JOIN account AS a USING (reservation_id)
CROSS JOIN LATERAL jsonb_array_elements(i.nights) AS n (night)
LEFT JOIN LATERAL (
    SELECT sum(c.amount_micro) AS charged FROM reservation.reservation_charges AS c
    WHERE c.reservation_id = i.reservation_id AND c.item_id = i.item_id AND c.night = (n.night ->> 'date')::date) AS c ON true
WHERE a.state NOT IN ('cancelled', 'no_show') AND NOT a.left_early AND (n.night ->> 'amountMicro')::bigint <> coalesce(c.charged, 0);
