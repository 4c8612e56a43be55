REVOKE ALL ON bff_tenant_booking.handoff_arrival_log, bff_tenant_booking.booking_draft_snapshots, bff_tenant_booking.confirmation_views
    FROM bff_tenant_booking_maintenance;
REVOKE SELECT (id, received_at) ON bff_tenant_booking.handoff_arrival_log FROM bff_tenant_booking_maintenance;
REVOKE SELECT (id, finalized_at) ON bff_tenant_booking.booking_draft_snapshots FROM bff_tenant_booking_maintenance;
REVOKE SELECT (tenant_id, reservation_id, session_id, told_at) ON bff_tenant_booking.confirmation_views FROM bff_tenant_booking_maintenance;
DO $$
DECLARE
    name text;
BEGIN
    FOREACH name IN ARRAY ARRAY['handoff_arrival_log', 'booking_draft_snapshots', 'confirmation_views'] LOOP
        EXECUTE format('DROP POLICY IF EXISTS prune_looks ON bff_tenant_booking.%I', name);
        EXECUTE format('DROP POLICY IF EXISTS prune_removes ON bff_tenant_booking.%I', name);
    END LOOP;
END $$;
DROP INDEX IF EXISTS bff_tenant_booking.handoff_arrival_log_age, bff_tenant_booking.booking_draft_snapshots_age;
