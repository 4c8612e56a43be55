-- Every event of this service has a tenant; an index and two policies have the names of the specification. Re-runnable.

-- The validated constraint spares SET NOT NULL its own scan under the exclusive lock.
DO $$
BEGIN
    IF EXISTS (SELECT FROM pg_attribute WHERE attrelid = 'bff_tenant_booking.outbox'::regclass AND attname = 'tenant_id' AND NOT attnotnull) THEN
        ALTER TABLE bff_tenant_booking.outbox DROP CONSTRAINT IF EXISTS outbox_has_tenant;
        ALTER TABLE bff_tenant_booking.outbox ADD CONSTRAINT outbox_has_tenant CHECK (tenant_id IS NOT NULL) NOT VALID;
        ALTER TABLE bff_tenant_booking.outbox VALIDATE CONSTRAINT outbox_has_tenant;
        ALTER TABLE bff_tenant_booking.outbox ALTER COLUMN tenant_id SET NOT NULL;
        ALTER TABLE bff_tenant_booking.outbox DROP CONSTRAINT outbox_has_tenant;
    END IF;
END $$;

CREATE INDEX IF NOT EXISTS ix_idempotency_tenant_expires ON bff_tenant_booking.idempotency (tenant_id, expires_at);

-- A policy cannot be renamed to a name that exists, so a repeated run of an earlier migration is followed by a new policy.
DO $$
DECLARE
    t text;
BEGIN
    FOREACH t IN ARRAY ARRAY['booking_draft_snapshots', 'handoff_arrival_log'] LOOP
        IF EXISTS (SELECT FROM pg_policies WHERE schemaname = 'bff_tenant_booking' AND tablename = t AND policyname = 'tenant_isolation') THEN
            EXECUTE format('DROP POLICY IF EXISTS %I ON bff_tenant_booking.%I', t || '_tenant_isolation', t);
            EXECUTE format('ALTER POLICY tenant_isolation ON bff_tenant_booking.%I RENAME TO %I', t, t || '_tenant_isolation');
        END IF;
    END LOOP;
END $$;
