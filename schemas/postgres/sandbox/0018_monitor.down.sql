DROP POLICY IF EXISTS monitor ON sandbox.intents;
REVOKE SELECT (status, expires_at) ON sandbox.intents FROM pg_monitor;
REVOKE SELECT (processed_at) ON sandbox.inbox_processed FROM pg_monitor;
REVOKE SELECT (lane, enqueued_at, published_at, next_attempt_at, parked_reason) ON sandbox.outbox FROM pg_monitor;
REVOKE USAGE ON SCHEMA sandbox FROM pg_monitor;
