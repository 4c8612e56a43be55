DROP POLICY IF EXISTS monitor ON bff_tenant_booking.booking_drafts;
REVOKE SELECT (expires_at, ended_at) ON bff_tenant_booking.booking_drafts FROM pg_monitor;
REVOKE SELECT (processed_at) ON bff_tenant_booking.inbox_processed FROM pg_monitor;
REVOKE SELECT (lane, enqueued_at, published_at, next_attempt_at, parked_reason) ON bff_tenant_booking.outbox FROM pg_monitor;
REVOKE USAGE ON SCHEMA bff_tenant_booking FROM pg_monitor;
