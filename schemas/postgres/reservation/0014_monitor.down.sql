DROP POLICY IF EXISTS monitor ON reservation.reservations;
DROP POLICY IF EXISTS monitor ON reservation.holds;
REVOKE SELECT (step_since, step_attempts) ON reservation.reservations FROM pg_monitor;
REVOKE SELECT (status, expires_at) ON reservation.holds FROM pg_monitor;
REVOKE SELECT (processed_at) ON reservation.inbox_processed FROM pg_monitor;
REVOKE SELECT (lane, enqueued_at, published_at, next_attempt_at, parked_reason) ON reservation.outbox FROM pg_monitor;
REVOKE USAGE ON SCHEMA reservation FROM pg_monitor;
