CREATE INDEX IF NOT EXISTS holds_due ON reservation.holds (expires_at) WHERE status = 'live';
DROP INDEX IF EXISTS reservation.holds_due_in_order;
