-- lock: electronic keys of rooms. The caller chooses the id, so a repetition finds the key. A key that is revoked before it was issued
-- has a row without terms: a late request for it opens nothing. Re-runnable.
CREATE TABLE IF NOT EXISTS sandbox.key_credentials (
    key_id         uuid PRIMARY KEY,
    tenant_id      uuid NOT NULL,
    property_id    uuid,
    reservation_id uuid,
    item_id        uuid,
    room_id        uuid,
    valid_from     timestamptz,
    valid_until    timestamptz,
    status         text NOT NULL CHECK (status IN ('issued', 'failed', 'revoked')),
    reason_code    text,
    requested_at   timestamptz, -- when it was issued or failed
    revoked_at     timestamptz,
    CHECK ((status = 'revoked') = (revoked_at IS NOT NULL)),
    CHECK (status = 'revoked' OR num_nulls(property_id, reservation_id, item_id, room_id, valid_from, valid_until, requested_at) = 0)
);
CREATE INDEX IF NOT EXISTS ix_key_credentials_reservation ON sandbox.key_credentials (reservation_id);

ALTER TABLE sandbox.key_credentials ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
DROP POLICY IF EXISTS of_tenant ON sandbox.key_credentials;
CREATE POLICY of_tenant ON sandbox.key_credentials TO sandbox_app
    USING (tenant_id = NULLIF(current_setting('app.tenant_id', true), '')::uuid)
    WITH CHECK (tenant_id = NULLIF(current_setting('app.tenant_id', true), '')::uuid);

GRANT SELECT, INSERT, UPDATE ON sandbox.key_credentials TO sandbox_app;
