-- The session that made a booking may change, cancel and pay for it until 30 days after the stay, as long as a view token is valid. The
-- snapshot of its draft is deleted earlier. Re-runnable. Older code neither reads nor writes this table; bookings of earlier releases get
-- their row when their guest opens them.
CREATE TABLE IF NOT EXISTS bff_tenant_booking.booking_owners (
    tenant_id      uuid        NOT NULL,
    reservation_id uuid        NOT NULL,
    session_id     uuid        NOT NULL,
    draft_id       uuid        NOT NULL,
    stay_end       timestamptz NOT NULL,              -- midnight UTC of the day of departure
    intents        uuid[]      NOT NULL DEFAULT '{}', -- payments of what was due later, whose events are published
    PRIMARY KEY (tenant_id, reservation_id)
);
CREATE INDEX IF NOT EXISTS booking_owners_session ON bff_tenant_booking.booking_owners (tenant_id, session_id);
CREATE INDEX IF NOT EXISTS booking_owners_age ON bff_tenant_booking.booking_owners (stay_end); -- for the prune

ALTER TABLE bff_tenant_booking.booking_owners ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
DROP POLICY IF EXISTS tenant_isolation ON bff_tenant_booking.booking_owners;
CREATE POLICY tenant_isolation ON bff_tenant_booking.booking_owners TO bff_tenant_booking_app
    USING (tenant_id = NULLIF(current_setting('app.tenant_id', true), '')::uuid)
    WITH CHECK (tenant_id = NULLIF(current_setting('app.tenant_id', true), '')::uuid);
GRANT SELECT, INSERT, UPDATE (session_id, stay_end, intents) ON bff_tenant_booking.booking_owners TO bff_tenant_booking_app;

DROP POLICY IF EXISTS prune_looks ON bff_tenant_booking.booking_owners;
DROP POLICY IF EXISTS prune_removes ON bff_tenant_booking.booking_owners;
CREATE POLICY prune_looks ON bff_tenant_booking.booking_owners FOR SELECT TO bff_tenant_booking_maintenance
    USING (stay_end < platform.now() - interval '30 days');
CREATE POLICY prune_removes ON bff_tenant_booking.booking_owners FOR DELETE TO bff_tenant_booking_maintenance
    USING (stay_end < platform.now() - interval '30 days');
DROP POLICY IF EXISTS erasure_looks ON bff_tenant_booking.booking_owners;
DROP POLICY IF EXISTS erasure_removes ON bff_tenant_booking.booking_owners;
CREATE POLICY erasure_looks ON bff_tenant_booking.booking_owners FOR SELECT TO bff_tenant_booking_maintenance
    USING (reservation_id = NULLIF(current_setting('app.erased_reservation', true), '')::uuid);
CREATE POLICY erasure_removes ON bff_tenant_booking.booking_owners FOR DELETE TO bff_tenant_booking_maintenance
    USING (reservation_id = NULLIF(current_setting('app.erased_reservation', true), '')::uuid);
GRANT SELECT (tenant_id, reservation_id, stay_end), DELETE ON bff_tenant_booking.booking_owners TO bff_tenant_booking_maintenance;
