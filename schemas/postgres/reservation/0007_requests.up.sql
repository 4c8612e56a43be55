-- What guests and staff ask for, and which allocations of a hold inventory has published. Re-runnable.
CREATE TABLE IF NOT EXISTS reservation.special_requests (
    special_request_id uuid        PRIMARY KEY,
    tenant_id          uuid        NOT NULL,
    reservation_id     uuid        NOT NULL,
    tags               text[]      NOT NULL CHECK (cardinality(tags) BETWEEN 1 AND 10),
    free_text          text        NOT NULL, -- scrubbed
    locale             text        NOT NULL,
    added_at           timestamptz NOT NULL DEFAULT platform.now(),
    FOREIGN KEY (tenant_id, reservation_id) REFERENCES reservation.reservations (tenant_id, reservation_id)
);
CREATE INDEX IF NOT EXISTS special_requests_reservation ON reservation.special_requests (tenant_id, reservation_id);

ALTER TABLE reservation.special_requests ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
DROP POLICY IF EXISTS tenant_isolation ON reservation.special_requests;
CREATE POLICY tenant_isolation ON reservation.special_requests TO reservation_app
    USING (tenant_id = NULLIF(current_setting('app.tenant_id', true), '')::uuid)
    WITH CHECK (tenant_id = NULLIF(current_setting('app.tenant_id', true), '')::uuid);

GRANT SELECT, INSERT, UPDATE, DELETE ON reservation.special_requests TO reservation_app;

ALTER TABLE reservation.holds ADD COLUMN IF NOT EXISTS taken_ids uuid[] NOT NULL DEFAULT '{}';
