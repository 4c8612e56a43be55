CREATE INDEX IF NOT EXISTS guest_sessions_due ON bff_consumer.guest_sessions (last_seen_at) WHERE ended_at IS NULL;
DROP INDEX IF EXISTS bff_consumer.guest_sessions_due_in_order;
