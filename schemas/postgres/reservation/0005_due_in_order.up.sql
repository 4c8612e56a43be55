-- The sweep goes through what is due in one order, also where much is due at the same moment. Re-runnable.
CREATE INDEX IF NOT EXISTS holds_due_in_order ON reservation.holds (expires_at, reservation_id) WHERE status = 'live';
DROP INDEX IF EXISTS reservation.holds_due;
