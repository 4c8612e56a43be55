DROP POLICY IF EXISTS erasure_looks ON bff_tenant_booking.booking_draft_snapshots;
DROP POLICY IF EXISTS erasure_removes ON bff_tenant_booking.booking_draft_snapshots;
DROP POLICY IF EXISTS erasure_looks ON bff_tenant_booking.confirmation_views;
DROP POLICY IF EXISTS erasure_removes ON bff_tenant_booking.confirmation_views;
REVOKE SELECT (tenant_id, reservation_id) ON bff_tenant_booking.booking_draft_snapshots FROM bff_tenant_booking_maintenance;
GRANT SELECT (id, finalized_at) ON bff_tenant_booking.booking_draft_snapshots TO bff_tenant_booking_maintenance;
