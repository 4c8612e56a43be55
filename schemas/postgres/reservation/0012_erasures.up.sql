-- Erasures of guests who asked for it: a request that becomes the receipt. Names of guests are deleted three years after the stay. Older
-- code neither reads nor writes the table. Re-runnable.
CREATE TABLE IF NOT EXISTS reservation.erasures (
    reservation_id uuid        PRIMARY KEY,
    tenant_id      uuid        NOT NULL,
    requested_at   timestamptz NOT NULL DEFAULT platform.now(),
    requested_by   text        NOT NULL CHECK (requested_by <> ''), -- the operator
    reason         text        NOT NULL CHECK (reason <> ''),
    completed_at   timestamptz,                     -- NULL: open, some steps may be done
    deleted        jsonb       NOT NULL DEFAULT '{}', -- rows by place, of the steps that are done
    retained       jsonb       NOT NULL DEFAULT '[]', -- what the law keeps: place, content, until
    FOREIGN KEY (tenant_id, reservation_id) REFERENCES reservation.reservations (tenant_id, reservation_id)
);
ALTER TABLE reservation.erasures ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
DROP POLICY IF EXISTS tenant_isolation ON reservation.erasures;
CREATE POLICY tenant_isolation ON reservation.erasures TO reservation_app
    USING (tenant_id = NULLIF(current_setting('app.tenant_id', true), '')::uuid)
    WITH CHECK (tenant_id = NULLIF(current_setting('app.tenant_id', true), '')::uuid);
DROP POLICY IF EXISTS erases ON reservation.erasures;
CREATE POLICY erases ON reservation.erasures FOR SELECT TO reservation_maintenance USING (true);
GRANT SELECT, INSERT, UPDATE (completed_at, deleted, retained) ON reservation.erasures TO reservation_app;
GRANT SELECT ON reservation.erasures TO reservation_maintenance;

-- The maintenance role may delete a guest only while an erasure of that reservation is open, or three years after the stay.
DO $$
DECLARE
    t text;
    erased CONSTANT text := 'EXISTS (SELECT FROM reservation.erasures AS e WHERE e.tenant_id = %1$I.tenant_id
            AND e.reservation_id = %1$I.reservation_id AND e.completed_at IS NULL)';
    past CONSTANT text := 'EXISTS (SELECT FROM reservation.reservations AS r WHERE r.tenant_id = %1$I.tenant_id
            AND r.reservation_id = %1$I.reservation_id AND r.state IN (''checked_out'', ''cancelled'', ''no_show'')
            AND r.stay_end < (platform.now() - interval ''3 years'')::date)';
BEGIN
    FOREACH t IN ARRAY ARRAY['guests', 'special_requests', 'modifications'] LOOP
        EXECUTE format('DROP POLICY IF EXISTS erasure_looks ON reservation.%I', t);
        EXECUTE format('DROP POLICY IF EXISTS erasure_removes ON reservation.%I', t);
        EXECUTE format('CREATE POLICY erasure_looks ON reservation.%1$I FOR SELECT TO reservation_maintenance USING (' || erased || ')', t);
        EXECUTE format('CREATE POLICY erasure_removes ON reservation.%1$I FOR DELETE TO reservation_maintenance USING (' || erased || ')', t);
    END LOOP;
    FOREACH t IN ARRAY ARRAY['guests', 'special_requests'] LOOP
        EXECUTE format('DROP POLICY IF EXISTS past_looks ON reservation.%I', t);
        EXECUTE format('DROP POLICY IF EXISTS past_removes ON reservation.%I', t);
        EXECUTE format('CREATE POLICY past_looks ON reservation.%1$I FOR SELECT TO reservation_maintenance USING (' || past || ')', t);
        EXECUTE format('CREATE POLICY past_removes ON reservation.%1$I FOR DELETE TO reservation_maintenance USING (' || past || ')', t);
    END LOOP;
END $$;
GRANT SELECT (modification_id, tenant_id, reservation_id, type), DELETE ON reservation.modifications TO reservation_maintenance;

DROP POLICY IF EXISTS past ON reservation.reservations;
CREATE POLICY past ON reservation.reservations FOR SELECT TO reservation_maintenance
    USING (state IN ('checked_out', 'cancelled', 'no_show') AND stay_end < (platform.now() - interval '3 years')::date);
