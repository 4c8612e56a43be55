-- Each change of a reservation or a quote was published exactly once: no version of a reservation has two events of a subject, and each
-- reservation has the events of its state. A state that a manager has overridden was published too, so the number of overrides is added.
-- The events of an erased guest are deleted. Their number in the receipt, plus the remaining events, must be at least the number that the
-- state and the deleted changes require.
WITH told AS (
    SELECT subject, payload ->> 'reservationId' AS reservation, envelope -> 'metadata' ->> 'aggregateVersion' AS version, count(*) AS times
    FROM reservation.outbox
    WHERE payload ? 'reservationId'
    GROUP BY 1, 2, 3
), events AS (
    SELECT reservation, subject, sum(times) AS events FROM told GROUP BY 1, 2
), modifications AS (
    SELECT reservation_id, count(*) AS made, count(*) FILTER (WHERE type = 'date_change') AS dates,
           count(*) FILTER (WHERE type = 'manual_state_override' AND before ->> 'state' = 'no_show') AS missed,
           count(*) FILTER (WHERE type = 'manual_state_override' AND before ->> 'state' = 'check_in_started') AS arrived,
           count(*) FILTER (WHERE type = 'manual_state_override' AND before ->> 'state' = 'checked_out') AS gone
    FROM reservation.modifications
    GROUP BY 1
), requests AS (
    SELECT reservation_id, count(*) AS made FROM reservation.special_requests GROUP BY 1
), wanted AS (
    SELECT 'rsv_' || (SELECT string_agg(substr('0123456789ABCDEFGHJKMNPQRSTVWXYZ', substring(
               B'00' || ('x' || replace(r.reservation_id::text, '-', ''))::bit(128) FROM 5 * i + 1 FOR 5)::int + 1, 1), '' ORDER BY i)
           FROM generate_series(0, 25) AS i) AS reservation,
           'melmastoon.reservation.' || w.event || '.v1' AS subject, w.least, w.least + coalesce(w.more, 0) AS most
    FROM reservation.reservations AS r
    LEFT JOIN modifications AS m USING (reservation_id)
    LEFT JOIN requests AS q USING (reservation_id)
    CROSS JOIN LATERAL (VALUES
        ('held', 1, 0),
        ('hold_expired', (r.state = 'expired_hold')::int, (r.state <> 'expired_hold')::int),
        ('confirmed', (r.confirmed_at IS NOT NULL)::int, 0),
        ('cancelled', (r.state = 'cancelled')::int, 0),
        ('no_show', (r.state = 'no_show')::int + coalesce(m.missed, 0), 0),
        ('check_in_started', (r.state IN ('check_in_started', 'checked_in', 'checkout_started', 'checked_out'))::int + coalesce(m.arrived, 0), 0),
        ('checked_in', (r.state IN ('checked_in', 'checkout_started', 'checked_out'))::int, 0), -- an override to checked_in is no arrival
        ('items_checked_in', (SELECT (count(*) > 0)::int FROM reservation.reservation_items AS i
            WHERE i.reservation_id = r.reservation_id AND i.arrived_at > (r.check_in ->> 'startedAt')::timestamptz), 20), -- one per later arrival
        ('checkout_started', (r.state IN ('checkout_started', 'checked_out'))::int + coalesce(m.gone, 0), 0),
        ('early_checkout', (jsonb_typeof(r.check_out -> 'earlyCheckout') IS NOT DISTINCT FROM 'object')::int, m.gone),
        ('checked_out', (r.state = 'checked_out')::int + coalesce(m.gone, 0), 0),
        ('overstayed', (r.overstayed_on IS NOT NULL)::int, 1000), -- one per night
        ('modified', coalesce(m.made, 0), 0),
        ('dates_changed', coalesce(m.dates, 0), 0),
        ('special_request.added', coalesce(q.made, 0), 1000) -- those of the guest's own details replace one another
    ) AS w (event, least, more)
), erased AS (
    SELECT 'rsv_' || (SELECT string_agg(substr('0123456789ABCDEFGHJKMNPQRSTVWXYZ', substring(
               B'00' || ('x' || replace(e.reservation_id::text, '-', ''))::bit(128) FROM 5 * i + 1 FOR 5)::int + 1, 1), '' ORDER BY i)
           FROM generate_series(0, 25) AS i) AS reservation,
           coalesce((e.deleted ->> 'reservation.outbox')::int, 0) AS deleted_events,
           coalesce((e.deleted ->> 'reservation.modifications')::int, 0) + coalesce((e.deleted ->> 'reservation.special_requests')::int, 0) AS deleted_changes
    FROM reservation.erasures AS e
), quotes (rows, events) AS (
    SELECT (SELECT count(*) FROM reservation.quotes),
           (SELECT count(*) FROM reservation.outbox WHERE subject = 'melmastoon.reservation.quote.created.v1')
)
SELECT subject, reservation, w.least, w.most, coalesce(e.events, 0) AS events
FROM wanted AS w
FULL JOIN events AS e USING (subject, reservation)
WHERE subject IN (SELECT subject FROM wanted) -- other events follow from no state
    AND reservation NOT IN (SELECT reservation FROM erased)
    AND coalesce(e.events, 0) NOT BETWEEN coalesce(w.least, 0) AND coalesce(w.most, 0)
UNION ALL
SELECT 'all of an erased guest', d.reservation, d.deleted_changes + (SELECT sum(w.least) FROM wanted AS w WHERE w.reservation = d.reservation), NULL,
       d.deleted_events + coalesce((SELECT sum(e.events) FROM events AS e WHERE e.reservation = d.reservation), 0)
FROM erased AS d
WHERE d.deleted_events + coalesce((SELECT sum(e.events) FROM events AS e WHERE e.reservation = d.reservation), 0)
    < d.deleted_changes + (SELECT sum(w.least) FROM wanted AS w WHERE w.reservation = d.reservation)
UNION ALL
SELECT 'melmastoon.reservation.quote.created.v1', NULL, rows, rows, events FROM quotes WHERE rows <> events
UNION ALL
SELECT subject, reservation, 1, 1, times FROM told WHERE times > 1;
