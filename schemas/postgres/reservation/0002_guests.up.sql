-- Who stays. Names and addresses are in this table and in no other.
CREATE TABLE IF NOT EXISTS reservation.guests (
    reservation_id   uuid        PRIMARY KEY,
    tenant_id        uuid        NOT NULL,
    guest_id         uuid        NOT NULL,
    first_name       text        NOT NULL,
    last_name        text        NOT NULL,
    email            text        NOT NULL,
    phone            text        NOT NULL,
    locale           text        NOT NULL,
    special_requests text        NOT NULL DEFAULT '',
    email_hash       text        NOT NULL CHECK (email_hash ~ '^[0-9a-f]{64}$'), -- by the tenant's own salt
    phone_hash       text        NOT NULL CHECK (phone_hash ~ '^[0-9a-f]{64}$'),
    named_at         timestamptz NOT NULL DEFAULT platform.now(),
    FOREIGN KEY (tenant_id, reservation_id) REFERENCES reservation.reservations (tenant_id, reservation_id)
);
CREATE INDEX IF NOT EXISTS guests_email ON reservation.guests (tenant_id, email_hash);
CREATE INDEX IF NOT EXISTS guests_phone ON reservation.guests (tenant_id, phone_hash);

ALTER TABLE reservation.guests ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
DROP POLICY IF EXISTS tenant_isolation ON reservation.guests;
CREATE POLICY tenant_isolation ON reservation.guests TO reservation_app
    USING (tenant_id = NULLIF(current_setting('app.tenant_id', true), '')::uuid)
    WITH CHECK (tenant_id = NULLIF(current_setting('app.tenant_id', true), '')::uuid);

GRANT SELECT, INSERT, UPDATE ON reservation.guests TO reservation_app;
