-- An erasure finds the published events of its keys without reading the whole outbox, and counts its rows in the transaction that deletes them. Re-runnable.
CREATE INDEX IF NOT EXISTS outbox_published ON reservation.outbox (ordering_key) WHERE published_at IS NOT NULL;

DROP POLICY IF EXISTS counts ON reservation.erasures;
CREATE POLICY counts ON reservation.erasures FOR UPDATE TO reservation_maintenance USING (completed_at IS NULL) WITH CHECK (completed_at IS NULL);
GRANT UPDATE (deleted) ON reservation.erasures TO reservation_maintenance;
