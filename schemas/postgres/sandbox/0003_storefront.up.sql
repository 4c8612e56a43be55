-- storefront: what a hotel shows of itself, and the acts by which its tenant, its look and its prices change. Re-runnable.

ALTER TABLE sandbox.tenants
    ADD COLUMN IF NOT EXISTS brand_tagline text,                   -- NULL: nobody has said one
    ADD COLUMN IF NOT EXISTS version       int NOT NULL DEFAULT 1; -- of the aggregate, as its events tell it
ALTER TABLE sandbox.rate_plans
    ADD COLUMN IF NOT EXISTS version int NOT NULL DEFAULT 1;       -- one more with each publication of its prices

-- Every theme that was ever published. The one on show is the tenant's latest.
CREATE TABLE IF NOT EXISTS sandbox.theme_versions (
    theme_version_id uuid PRIMARY KEY,
    tenant_id        uuid NOT NULL REFERENCES sandbox.tenants,
    theme_id         uuid NOT NULL,
    version          int NOT NULL CHECK (version > 0),
    tokens           jsonb NOT NULL,
    published_at     timestamptz NOT NULL,
    UNIQUE (tenant_id, version)
);

CREATE TABLE IF NOT EXISTS sandbox.room_texts (
    tenant_id    uuid NOT NULL REFERENCES sandbox.tenants,
    room_type_id uuid NOT NULL REFERENCES sandbox.room_types,
    locale       text NOT NULL,
    name         text NOT NULL,
    description  text NOT NULL,
    PRIMARY KEY (room_type_id, locale)
);

CREATE TABLE IF NOT EXISTS sandbox.policies (
    tenant_id       uuid NOT NULL REFERENCES sandbox.tenants,
    property_id     uuid NOT NULL REFERENCES sandbox.properties,
    position        int NOT NULL,
    kind            text NOT NULL CHECK (kind IN ('cancellation', 'check_in', 'check_out', 'children', 'payment', 'pets')),
    title           text NOT NULL,
    title_localized jsonb NOT NULL DEFAULT '{}',
    body            text NOT NULL,
    body_localized  jsonb NOT NULL DEFAULT '{}',
    PRIMARY KEY (property_id, position)
);

DO $$
DECLARE
    owned text;
BEGIN
    FOREACH owned IN ARRAY ARRAY['theme_versions', 'room_texts', 'policies'] LOOP
        EXECUTE format('ALTER TABLE sandbox.%I ENABLE ROW LEVEL SECURITY', owned);
        EXECUTE format('ALTER TABLE sandbox.%I FORCE ROW LEVEL SECURITY', owned);
        EXECUTE format('DROP POLICY IF EXISTS of_tenant ON sandbox.%I', owned);
        EXECUTE format($policy$CREATE POLICY of_tenant ON sandbox.%I TO sandbox_app
            USING (tenant_id = NULLIF(current_setting('app.tenant_id', true), '')::uuid)
            WITH CHECK (tenant_id = NULLIF(current_setting('app.tenant_id', true), '')::uuid)$policy$, owned);
    END LOOP;
    DROP POLICY IF EXISTS of_any_tenant ON sandbox.rate_plans; -- publishing names a plan without its tenant
    CREATE POLICY of_any_tenant ON sandbox.rate_plans FOR SELECT TO sandbox_maintenance USING (true);
END $$;

GRANT SELECT, INSERT ON sandbox.theme_versions, sandbox.room_texts, sandbox.policies TO sandbox_app;
GRANT UPDATE (status, brand_name, brand_tagline, currencies, locales, payment_methods, config_version, hold_ttl_seconds,
    no_show_grace_hours, cancellation_policy_version, version) ON sandbox.tenants TO sandbox_app;
GRANT UPDATE (version) ON sandbox.rate_plans TO sandbox_app;
GRANT UPDATE (amount_micro) ON sandbox.weekday_rates TO sandbox_app;
GRANT SELECT (tenant_id, rate_plan_id) ON sandbox.rate_plans TO sandbox_maintenance;
