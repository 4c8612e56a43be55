DROP INDEX IF EXISTS bff_tenant_booking.handoff_arrival_log_session;
DROP POLICY IF EXISTS erasure_looks ON bff_tenant_booking.handoff_arrival_log;
DROP POLICY IF EXISTS erasure_removes ON bff_tenant_booking.handoff_arrival_log;
REVOKE SELECT (tenant_id, session_id, expires_at) ON bff_tenant_booking.handoff_arrival_log FROM bff_tenant_booking_maintenance;
DROP INDEX IF EXISTS bff_tenant_booking.outbox_published;
