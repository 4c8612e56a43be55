-- The sweep goes through what is due in one order, also where much is due at the same moment. Re-runnable.
CREATE INDEX IF NOT EXISTS guest_sessions_due_in_order ON bff_consumer.guest_sessions (last_seen_at, guest_session_id) WHERE ended_at IS NULL;
DROP INDEX IF EXISTS bff_consumer.guest_sessions_due;
