-- The job database reports the backlog. Its login may assume pg_monitor, which may read these times, lanes and states, and no other
-- columns. Re-runnable.
GRANT USAGE ON SCHEMA bff_consumer TO pg_monitor;
GRANT SELECT (lane, enqueued_at, published_at, next_attempt_at, parked_reason) ON bff_consumer.outbox TO pg_monitor;
GRANT SELECT (processed_at) ON bff_consumer.inbox_processed TO pg_monitor;

GRANT SELECT (last_seen_at, ended_at) ON bff_consumer.guest_sessions TO pg_monitor;
GRANT SELECT (due_at) ON bff_consumer.erasure_requests TO pg_monitor;
