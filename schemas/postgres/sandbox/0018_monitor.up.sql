-- The job database reports the backlog. Its login may assume pg_monitor, which may read these times, lanes and states, and no other
-- columns. Re-runnable.
GRANT USAGE ON SCHEMA sandbox TO pg_monitor;
GRANT SELECT (lane, enqueued_at, published_at, next_attempt_at, parked_reason) ON sandbox.outbox TO pg_monitor;
GRANT SELECT (processed_at) ON sandbox.inbox_processed TO pg_monitor;

GRANT SELECT (status, expires_at) ON sandbox.intents TO pg_monitor;
DROP POLICY IF EXISTS monitor ON sandbox.intents;
CREATE POLICY monitor ON sandbox.intents FOR SELECT TO pg_monitor USING (status IN ('requires_payment', 'requires_action', 'processing'));
