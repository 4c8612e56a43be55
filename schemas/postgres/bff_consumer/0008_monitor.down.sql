REVOKE SELECT (due_at) ON bff_consumer.erasure_requests FROM pg_monitor;
REVOKE SELECT (last_seen_at, ended_at) ON bff_consumer.guest_sessions FROM pg_monitor;
REVOKE SELECT (processed_at) ON bff_consumer.inbox_processed FROM pg_monitor;
REVOKE SELECT (lane, enqueued_at, published_at, next_attempt_at, parked_reason) ON bff_consumer.outbox FROM pg_monitor;
REVOKE USAGE ON SCHEMA bff_consumer FROM pg_monitor;
