-- The roles stay: they belong to the whole cluster.
DROP TABLE IF EXISTS bff_tenant_booking.idempotency, bff_tenant_booking.inbox_processed, bff_tenant_booking.outbox_lanes, bff_tenant_booking.outbox;
DROP TABLE IF EXISTS bff_tenant_booking.booking_owners, bff_tenant_booking.confirmation_views, bff_tenant_booking.handoff_arrival_log,
    bff_tenant_booking.booking_draft_snapshots, bff_tenant_booking.booking_drafts;
REVOKE USAGE ON SCHEMA bff_tenant_booking FROM pg_monitor;
