-- An erasure finds the published events of its keys without reading the whole outbox. Re-runnable.
CREATE INDEX IF NOT EXISTS outbox_published ON bff_tenant_booking.outbox (ordering_key) WHERE published_at IS NOT NULL;

-- The job erase deletes the expired arrivals of the sessions in a setting of its transaction. An arrival that has not expired stays,
-- because its row prevents a second use of the handoff.
DROP POLICY IF EXISTS erasure_looks ON bff_tenant_booking.handoff_arrival_log;
DROP POLICY IF EXISTS erasure_removes ON bff_tenant_booking.handoff_arrival_log;
CREATE POLICY erasure_looks ON bff_tenant_booking.handoff_arrival_log FOR SELECT TO bff_tenant_booking_maintenance
    USING (session_id = ANY (NULLIF(current_setting('app.erased_sessions', true), '')::uuid[]) AND expires_at < platform.now());
CREATE POLICY erasure_removes ON bff_tenant_booking.handoff_arrival_log FOR DELETE TO bff_tenant_booking_maintenance
    USING (session_id = ANY (NULLIF(current_setting('app.erased_sessions', true), '')::uuid[]) AND expires_at < platform.now());
GRANT SELECT (tenant_id, session_id, expires_at) ON bff_tenant_booking.handoff_arrival_log TO bff_tenant_booking_maintenance;
CREATE INDEX IF NOT EXISTS handoff_arrival_log_session ON bff_tenant_booking.handoff_arrival_log (tenant_id, session_id);
