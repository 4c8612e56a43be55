-- The job erase deletes the snapshots and views of one reservation, which it names in a setting of its transaction. Re-runnable.
DROP POLICY IF EXISTS erasure_looks ON bff_tenant_booking.booking_draft_snapshots;
DROP POLICY IF EXISTS erasure_removes ON bff_tenant_booking.booking_draft_snapshots;
CREATE POLICY erasure_looks ON bff_tenant_booking.booking_draft_snapshots FOR SELECT TO bff_tenant_booking_maintenance
    USING (reservation_id = NULLIF(current_setting('app.erased_name', true), ''));
CREATE POLICY erasure_removes ON bff_tenant_booking.booking_draft_snapshots FOR DELETE TO bff_tenant_booking_maintenance
    USING (reservation_id = NULLIF(current_setting('app.erased_name', true), ''));
DROP POLICY IF EXISTS erasure_looks ON bff_tenant_booking.confirmation_views;
DROP POLICY IF EXISTS erasure_removes ON bff_tenant_booking.confirmation_views;
CREATE POLICY erasure_looks ON bff_tenant_booking.confirmation_views FOR SELECT TO bff_tenant_booking_maintenance
    USING (reservation_id = NULLIF(current_setting('app.erased_reservation', true), '')::uuid);
CREATE POLICY erasure_removes ON bff_tenant_booking.confirmation_views FOR DELETE TO bff_tenant_booking_maintenance
    USING (reservation_id = NULLIF(current_setting('app.erased_reservation', true), '')::uuid);
GRANT SELECT (tenant_id, reservation_id) ON bff_tenant_booking.booking_draft_snapshots TO bff_tenant_booking_maintenance;
