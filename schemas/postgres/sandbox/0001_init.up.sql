-- sandbox: the platform's own side, as far as the three services need it. Re-runnable.

CREATE SCHEMA IF NOT EXISTS sandbox;

-- Roles belong to the whole cluster, so another database may just be making them too.
DO $$
DECLARE
    wanted text;
BEGIN
    FOREACH wanted IN ARRAY ARRAY['sandbox_app', 'sandbox_maintenance'] LOOP
        IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = wanted) THEN
            BEGIN
                EXECUTE format('CREATE ROLE %I NOLOGIN', wanted);
            EXCEPTION WHEN duplicate_object OR unique_violation THEN
                NULL;
            END;
        END IF;
    END LOOP;
END $$;

GRANT USAGE ON SCHEMA sandbox TO sandbox_app, sandbox_maintenance;

-- Tenant and property: who there is and what they let.

CREATE TABLE IF NOT EXISTS sandbox.tenants (
    tenant_id                   uuid PRIMARY KEY,
    slug                        text NOT NULL UNIQUE CHECK (slug ~ '^[a-z0-9]+(-[a-z0-9]+)*$'),
    brand_name                  text NOT NULL,
    status                      text NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'suspended')),
    region                      text NOT NULL,
    currency                    text NOT NULL,
    currencies                  text[] NOT NULL,
    locales                     text[] NOT NULL,
    payment_methods             text[] NOT NULL,
    config_version              int NOT NULL DEFAULT 1,
    hold_ttl_seconds            int NOT NULL DEFAULT 600 CHECK (hold_ttl_seconds BETWEEN 120 AND 1800),
    no_show_grace_hours         int NOT NULL DEFAULT 6 CHECK (no_show_grace_hours >= 0),
    cancellation_policy_version int NOT NULL DEFAULT 1,
    CHECK (currency = ANY (currencies))
);

CREATE TABLE IF NOT EXISTS sandbox.tenant_domains (
    domain    text PRIMARY KEY CHECK (domain = lower(domain)),
    tenant_id uuid NOT NULL REFERENCES sandbox.tenants
);

CREATE TABLE IF NOT EXISTS sandbox.properties (
    property_id    uuid PRIMARY KEY,
    tenant_id      uuid NOT NULL REFERENCES sandbox.tenants,
    name           text NOT NULL,
    name_localized jsonb NOT NULL DEFAULT '{}',
    time_zone      text NOT NULL,
    city           text NOT NULL,
    country        text NOT NULL,
    latitude       float8 NOT NULL CHECK (latitude BETWEEN -90 AND 90),
    longitude      float8 NOT NULL CHECK (longitude BETWEEN -180 AND 180),
    star_rating    int NOT NULL CHECK (star_rating BETWEEN 1 AND 5)
);

CREATE TABLE IF NOT EXISTS sandbox.room_types (
    room_type_id  uuid PRIMARY KEY,
    tenant_id     uuid NOT NULL REFERENCES sandbox.tenants,
    property_id   uuid NOT NULL REFERENCES sandbox.properties,
    name          text NOT NULL,
    description   text NOT NULL,
    max_occupancy int NOT NULL CHECK (max_occupancy > 0),
    units         int NOT NULL CHECK (units >= 0)
);

-- Pricing: a plan costs what its weekday costs, in the tenant's currency; taxes and fees belong to the property.

CREATE TABLE IF NOT EXISTS sandbox.rate_plans (
    rate_plan_id             uuid PRIMARY KEY,
    tenant_id                uuid NOT NULL REFERENCES sandbox.tenants,
    property_id              uuid NOT NULL REFERENCES sandbox.properties,
    room_type_id             uuid NOT NULL REFERENCES sandbox.room_types,
    name                     text NOT NULL,
    meal_plan                text NOT NULL,
    cancellation_ref         text NOT NULL,
    free_until_hours_before  int NOT NULL CHECK (free_until_hours_before >= 0),
    penalty_percent          int NOT NULL CHECK (penalty_percent BETWEEN 0 AND 100),
    cancellation_description text NOT NULL
);

CREATE TABLE IF NOT EXISTS sandbox.weekday_rates (
    tenant_id    uuid NOT NULL REFERENCES sandbox.tenants,
    rate_plan_id uuid NOT NULL REFERENCES sandbox.rate_plans,
    weekday      int NOT NULL CHECK (weekday BETWEEN 1 AND 7), -- ISO: Monday is 1
    amount_micro bigint NOT NULL CHECK (amount_micro > 0),
    PRIMARY KEY (rate_plan_id, weekday)
);

CREATE TABLE IF NOT EXISTS sandbox.charges (
    tenant_id    uuid NOT NULL REFERENCES sandbox.tenants,
    property_id  uuid NOT NULL REFERENCES sandbox.properties,
    position     int NOT NULL,
    kind         text NOT NULL CHECK (kind IN ('tax', 'fee')),
    description  text NOT NULL,
    basis_points int CHECK (basis_points > 0),   -- a tax: of the rooms less their discount
    amount_micro bigint CHECK (amount_micro > 0), -- a fee: per room and night, in the tenant's currency
    PRIMARY KEY (property_id, position),
    CHECK ((kind = 'tax') = (basis_points IS NOT NULL) AND (kind = 'fee') = (amount_micro IS NOT NULL))
);

CREATE TABLE IF NOT EXISTS sandbox.promo_codes (
    tenant_id   uuid NOT NULL REFERENCES sandbox.tenants,
    code        text NOT NULL CHECK (code = upper(code)),
    percent     int NOT NULL CHECK (percent BETWEEN 1 AND 100),
    valid_until timestamptz, -- NULL: until it is taken away
    PRIMARY KEY (tenant_id, code)
);

-- The platform's own table, the same for every tenant: what one unit of base costs in quote.
CREATE TABLE IF NOT EXISTS sandbox.fx_snapshots (
    fx_snapshot_id uuid PRIMARY KEY,
    base           text NOT NULL,
    quote          text NOT NULL,
    rate           numeric NOT NULL CHECK (rate > 0),
    source         text NOT NULL,
    captured_at    timestamptz NOT NULL,
    UNIQUE (base, quote, captured_at)
);

-- Payment: an intent is captured once, and never gives back more than it took.

CREATE TABLE IF NOT EXISTS sandbox.intents (
    intent_id         uuid PRIMARY KEY,
    tenant_id         uuid NOT NULL REFERENCES sandbox.tenants,
    reservation_id    uuid NOT NULL,
    method            text NOT NULL CHECK (method IN ('card', 'paypal', 'mfs', 'cash_on_arrival')),
    provider          text NOT NULL,
    status            text NOT NULL CHECK (status IN ('requires_payment', 'captured', 'pending_cash', 'failed', 'superseded')),
    attempts          int NOT NULL DEFAULT 0 CHECK (attempts BETWEEN 0 AND 5),
    amount_micro      bigint NOT NULL CHECK (amount_micro > 0),
    currency          text NOT NULL,
    return_url        text,
    captured_micro    bigint NOT NULL DEFAULT 0 CHECK (captured_micro IN (0, amount_micro)),
    refunded_micro    bigint NOT NULL DEFAULT 0 CHECK (refunded_micro BETWEEN 0 AND captured_micro),
    captured_at       timestamptz,
    captured_event_id uuid,
    failure_code      text CHECK (failure_code IN ('too_many_attempts', 'expired', 'cancelled')),
    version           int NOT NULL DEFAULT 1, -- of the aggregate, as its events tell it
    created_at        timestamptz NOT NULL,
    expires_at        timestamptz NOT NULL,
    CHECK ((status = 'captured') = (captured_at IS NOT NULL AND captured_event_id IS NOT NULL AND captured_micro > 0)),
    CHECK ((status = 'failed') = (failure_code IS NOT NULL))
);

CREATE UNIQUE INDEX IF NOT EXISTS ux_intents_one_live ON sandbox.intents (reservation_id)
    WHERE status IN ('requires_payment', 'pending_cash');
CREATE INDEX IF NOT EXISTS ix_intents_reservation ON sandbox.intents (reservation_id);
CREATE INDEX IF NOT EXISTS ix_intents_due ON sandbox.intents (expires_at) WHERE status = 'requires_payment';

CREATE TABLE IF NOT EXISTS sandbox.refunds (
    refund_id            uuid PRIMARY KEY,
    tenant_id            uuid NOT NULL REFERENCES sandbox.tenants,
    intent_id            uuid NOT NULL REFERENCES sandbox.intents,
    amount_micro         bigint NOT NULL CHECK (amount_micro > 0),
    reason               text NOT NULL,
    total_refunded_micro bigint NOT NULL, -- of the intent, this one included
    refunded_at          timestamptz NOT NULL
);

CREATE INDEX IF NOT EXISTS ix_refunds_intent ON sandbox.refunds (intent_id);

-- What every service has (schemas/postgres/README.md). No row-level security: they serve all tenants in one order.

CREATE TABLE IF NOT EXISTS sandbox.outbox (
    seq             bigint      GENERATED ALWAYS AS IDENTITY, -- the order within a key
    id              uuid        PRIMARY KEY,                  -- the bits of event_id, so one unique index serves both
    event_id        text        NOT NULL,
    tenant_id       uuid,                                     -- NULL: an event of no tenant
    subject         text        NOT NULL,
    ordering_key    text        NOT NULL,
    lane            smallint    NOT NULL GENERATED ALWAYS AS ((hashtextextended(ordering_key, 0) & 63)::smallint) STORED,
    payload         jsonb       NOT NULL,
    envelope        jsonb       NOT NULL,
    occurred_at     timestamptz NOT NULL,
    enqueued_at     timestamptz NOT NULL DEFAULT platform.now(),
    published_at    timestamptz,
    attempts        int         NOT NULL DEFAULT 0,
    next_attempt_at timestamptz,                              -- set by a failure: until then the whole key waits
    last_error      text,
    parked_reason   text,                                     -- set: nobody publishes it until a person decides
    status          text        NOT NULL GENERATED ALWAYS AS (CASE
                        WHEN published_at  IS NOT NULL THEN 'published'
                        WHEN parked_reason IS NOT NULL THEN 'parked'
                        WHEN attempts > 0              THEN 'retrying'
                        ELSE 'pending' END) STORED,
    CHECK (published_at IS NULL OR parked_reason IS NULL)
) WITH (fillfactor = 90, autovacuum_vacuum_scale_factor = 0.02);

-- What is left to do, in order. A row leaves it when it is marked, so that mark cannot be a heap-only update: for
-- that reason there is no other index on what marking changes, except over the few rows that failed or were parked.
CREATE INDEX IF NOT EXISTS outbox_unpublished ON sandbox.outbox (lane, seq) WHERE published_at IS NULL AND parked_reason IS NULL;
CREATE INDEX IF NOT EXISTS outbox_failing ON sandbox.outbox (ordering_key, next_attempt_at)
    WHERE next_attempt_at IS NOT NULL AND published_at IS NULL AND parked_reason IS NULL;
CREATE INDEX IF NOT EXISTS outbox_parked ON sandbox.outbox (seq) WHERE parked_reason IS NOT NULL;

-- Whoever holds a lane publishes its rows. Leases go by clock_timestamp(), for they are about processes. Neither column
-- is indexed and half of each page is free: taking and releasing a lane are heap-only updates.
CREATE TABLE IF NOT EXISTS sandbox.outbox_lanes (
    lane         smallint    PRIMARY KEY CHECK (lane BETWEEN 0 AND 63),
    holder       uuid,
    leased_until timestamptz NOT NULL DEFAULT '-infinity'
) WITH (fillfactor = 50);
INSERT INTO sandbox.outbox_lanes (lane) SELECT generate_series(0, 63) ON CONFLICT DO NOTHING;

CREATE TABLE IF NOT EXISTS sandbox.inbox_processed (
    event_id     uuid        NOT NULL,
    processor    text        NOT NULL,   -- the function
    subject      text        NOT NULL,
    processed_at timestamptz NOT NULL DEFAULT platform.now(),
    PRIMARY KEY (event_id, processor)
);
CREATE INDEX IF NOT EXISTS inbox_processed_age ON sandbox.inbox_processed USING brin (processed_at); -- for the prune

-- A tenant's rows are the only ones there are while it is set, and there are none while it is not. The maintenance role
-- may look across tenants, at the columns it is granted below.

DO $$
DECLARE
    owned text;
BEGIN
    FOREACH owned IN ARRAY ARRAY['tenants', 'tenant_domains', 'properties', 'room_types', 'rate_plans', 'weekday_rates',
        'charges', 'promo_codes', 'intents', 'refunds'] LOOP
        EXECUTE format('ALTER TABLE sandbox.%I ENABLE ROW LEVEL SECURITY', owned);
        EXECUTE format('ALTER TABLE sandbox.%I FORCE ROW LEVEL SECURITY', owned);
        EXECUTE format('DROP POLICY IF EXISTS of_tenant ON sandbox.%I', owned);
        EXECUTE format($policy$CREATE POLICY of_tenant ON sandbox.%I TO sandbox_app
            USING (tenant_id = NULLIF(current_setting('app.tenant_id', true), '')::uuid)
            WITH CHECK (tenant_id = NULLIF(current_setting('app.tenant_id', true), '')::uuid)$policy$, owned);
    END LOOP;
    -- The platform's own routes name a thing without its tenant, and a sweep starts from no tenant at all.
    FOREACH owned IN ARRAY ARRAY['tenants', 'tenant_domains', 'properties', 'intents'] LOOP
        EXECUTE format('DROP POLICY IF EXISTS of_any_tenant ON sandbox.%I', owned);
        EXECUTE format('CREATE POLICY of_any_tenant ON sandbox.%I FOR SELECT TO sandbox_maintenance USING (true)', owned);
    END LOOP;
END $$;

GRANT SELECT, INSERT ON sandbox.tenants, sandbox.tenant_domains, sandbox.properties, sandbox.room_types, sandbox.rate_plans,
    sandbox.weekday_rates, sandbox.charges, sandbox.promo_codes, sandbox.fx_snapshots TO sandbox_app;
GRANT SELECT, INSERT ON sandbox.intents, sandbox.refunds TO sandbox_app;
GRANT UPDATE (status, attempts, captured_micro, refunded_micro, captured_at, captured_event_id, failure_code, version)
    ON sandbox.intents TO sandbox_app;
GRANT SELECT (tenant_id, slug) ON sandbox.tenants TO sandbox_maintenance;
GRANT SELECT (tenant_id, domain) ON sandbox.tenant_domains TO sandbox_maintenance;
GRANT SELECT (tenant_id, property_id) ON sandbox.properties TO sandbox_maintenance;
GRANT SELECT (tenant_id, intent_id, status, expires_at) ON sandbox.intents TO sandbox_maintenance;
GRANT SELECT, INSERT, UPDATE (published_at, attempts, next_attempt_at, last_error, parked_reason) ON sandbox.outbox TO sandbox_app;
GRANT SELECT, UPDATE (holder, leased_until) ON sandbox.outbox_lanes TO sandbox_app;
GRANT SELECT, DELETE ON sandbox.outbox TO sandbox_maintenance;
GRANT SELECT, INSERT ON sandbox.inbox_processed TO sandbox_app;
GRANT SELECT, DELETE ON sandbox.inbox_processed TO sandbox_maintenance;
