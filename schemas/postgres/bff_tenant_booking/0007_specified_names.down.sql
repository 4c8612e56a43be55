DO $$
DECLARE
    t text;
BEGIN
    FOREACH t IN ARRAY ARRAY['booking_draft_snapshots', 'handoff_arrival_log'] LOOP
        IF EXISTS (SELECT FROM pg_policies WHERE schemaname = 'bff_tenant_booking' AND tablename = t AND policyname = t || '_tenant_isolation') THEN
            EXECUTE format('DROP POLICY IF EXISTS tenant_isolation ON bff_tenant_booking.%I', t);
            EXECUTE format('ALTER POLICY %I ON bff_tenant_booking.%I RENAME TO tenant_isolation', t || '_tenant_isolation', t);
        END IF;
    END LOOP;
END $$;
DROP INDEX IF EXISTS bff_tenant_booking.ix_idempotency_tenant_expires;
ALTER TABLE bff_tenant_booking.outbox DROP CONSTRAINT IF EXISTS outbox_has_tenant;
ALTER TABLE bff_tenant_booking.outbox ALTER COLUMN tenant_id DROP NOT NULL;
