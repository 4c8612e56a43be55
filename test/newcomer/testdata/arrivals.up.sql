-- Arrival times of guests, in local time of the property. Re-runnable.
CREATE TABLE IF NOT EXISTS reservation.arrivals (
    reservation_id uuid        PRIMARY KEY,
    tenant_id      uuid        NOT NULL,
    arrival_time   text        NOT NULL CHECK (arrival_time ~ '^([01][0-9]|2[0-3]):[0-5][0-9]$'),
    updated_at     timestamptz NOT NULL DEFAULT platform.now(),
    FOREIGN KEY (tenant_id, reservation_id) REFERENCES reservation.reservations (tenant_id, reservation_id)
);

ALTER TABLE reservation.arrivals ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
DROP POLICY IF EXISTS tenant_isolation ON reservation.arrivals;
CREATE POLICY tenant_isolation ON reservation.arrivals TO reservation_app
    USING (tenant_id = NULLIF(current_setting('app.tenant_id', true), '')::uuid)
    WITH CHECK (tenant_id = NULLIF(current_setting('app.tenant_id', true), '')::uuid);

GRANT SELECT, INSERT, UPDATE ON reservation.arrivals TO reservation_app;
