-- An erasure finds the published events of its keys without reading the whole outbox. Re-runnable.
CREATE INDEX IF NOT EXISTS outbox_published ON reservation.outbox (ordering_key) WHERE published_at IS NOT NULL;
