-- Each change of a reservation or a quote was published, and once: no version of a reservation has two events of a subject.
WITH told AS (
    SELECT subject, payload ->> 'reservationId' AS reservation, envelope -> 'metadata' ->> 'aggregateVersion' AS version, count(*) AS times
    FROM reservation.outbox
    WHERE payload ? 'reservationId'
    GROUP BY 1, 2, 3
), balance (subject, rows, events) AS (
    SELECT 'melmastoon.reservation.held.v1', (SELECT count(*) FROM reservation.reservations),
           (SELECT count(*) FROM told WHERE subject = 'melmastoon.reservation.held.v1')
    UNION ALL
    SELECT 'melmastoon.reservation.confirmed.v1', (SELECT count(*) FROM reservation.reservations WHERE confirmed_at IS NOT NULL),
           (SELECT count(*) FROM told WHERE subject = 'melmastoon.reservation.confirmed.v1')
    UNION ALL
    SELECT 'melmastoon.reservation.cancelled.v1', (SELECT count(*) FROM reservation.reservations WHERE state = 'cancelled'),
           (SELECT count(*) FROM told WHERE subject = 'melmastoon.reservation.cancelled.v1')
    UNION ALL
    SELECT 'melmastoon.reservation.quote.created.v1', (SELECT count(*) FROM reservation.quotes),
           (SELECT count(*) FROM reservation.outbox WHERE subject = 'melmastoon.reservation.quote.created.v1')
)
SELECT subject, NULL AS reservation, rows, events FROM balance WHERE rows <> events
UNION ALL
SELECT subject, reservation, 1, times FROM told WHERE times > 1;
