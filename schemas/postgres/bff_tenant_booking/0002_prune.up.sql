-- What the prune may see and remove: rows whose time is over, whichever tenant's, and no others. Re-runnable.

CREATE INDEX IF NOT EXISTS handoff_arrival_log_age ON bff_tenant_booking.handoff_arrival_log USING brin (received_at);
CREATE INDEX IF NOT EXISTS booking_draft_snapshots_age ON bff_tenant_booking.booking_draft_snapshots USING brin (finalized_at);

DO $$
DECLARE
    aged record;
BEGIN
    FOR aged IN SELECT * FROM (VALUES
        ('handoff_arrival_log',     $c$received_at < platform.now() - interval '30 days'$c$),
        ('booking_draft_snapshots', $c$finalized_at < platform.now() - interval '30 days'$c$),
        ('confirmation_views',      $c$told_at < platform.now() - interval '24 hours'$c$)) AS a (name, is_over) LOOP
        EXECUTE format('DROP POLICY IF EXISTS prune_looks ON bff_tenant_booking.%I', aged.name);
        EXECUTE format('DROP POLICY IF EXISTS prune_removes ON bff_tenant_booking.%I', aged.name);
        EXECUTE format('CREATE POLICY prune_looks ON bff_tenant_booking.%I FOR SELECT TO bff_tenant_booking_maintenance USING (%s)', aged.name, aged.is_over);
        EXECUTE format('CREATE POLICY prune_removes ON bff_tenant_booking.%I FOR DELETE TO bff_tenant_booking_maintenance USING (%s)', aged.name, aged.is_over);
    END LOOP;
END $$;

GRANT SELECT (id, received_at), DELETE ON bff_tenant_booking.handoff_arrival_log TO bff_tenant_booking_maintenance;
GRANT SELECT (id, finalized_at), DELETE ON bff_tenant_booking.booking_draft_snapshots TO bff_tenant_booking_maintenance;
GRANT SELECT (tenant_id, reservation_id, session_id, told_at), DELETE ON bff_tenant_booking.confirmation_views TO bff_tenant_booking_maintenance;
