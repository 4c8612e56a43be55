-- The job database reports the backlog. Its login may assume pg_monitor, which may read these times, lanes and states, and no other
-- columns. Re-runnable.
GRANT USAGE ON SCHEMA reservation TO pg_monitor;
GRANT SELECT (lane, enqueued_at, published_at, next_attempt_at, parked_reason) ON reservation.outbox TO pg_monitor;
GRANT SELECT (processed_at) ON reservation.inbox_processed TO pg_monitor;

GRANT SELECT (status, expires_at) ON reservation.holds TO pg_monitor;
GRANT SELECT (step_since, step_attempts) ON reservation.reservations TO pg_monitor;
DROP POLICY IF EXISTS monitor ON reservation.holds;
DROP POLICY IF EXISTS monitor ON reservation.reservations;
CREATE POLICY monitor ON reservation.holds FOR SELECT TO pg_monitor USING (status = 'live');
CREATE POLICY monitor ON reservation.reservations FOR SELECT TO pg_monitor USING (step_since IS NOT NULL);
