-- The job database reports the backlog. Its login may assume pg_monitor, which may read these times, lanes and states, and no other
-- columns. Re-runnable.
GRANT USAGE ON SCHEMA bff_tenant_booking TO pg_monitor;
GRANT SELECT (lane, enqueued_at, published_at, next_attempt_at, parked_reason) ON bff_tenant_booking.outbox TO pg_monitor;
GRANT SELECT (processed_at) ON bff_tenant_booking.inbox_processed TO pg_monitor;

GRANT SELECT (expires_at, ended_at) ON bff_tenant_booking.booking_drafts TO pg_monitor;
DROP POLICY IF EXISTS monitor ON bff_tenant_booking.booking_drafts;
CREATE POLICY monitor ON bff_tenant_booking.booking_drafts FOR SELECT TO pg_monitor USING (true);
