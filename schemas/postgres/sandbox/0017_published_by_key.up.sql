-- All services have the same outbox. Re-runnable.
CREATE INDEX IF NOT EXISTS outbox_published ON sandbox.outbox (ordering_key) WHERE published_at IS NOT NULL;
