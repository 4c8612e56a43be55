-- reservation: what is quoted, held and booked. Re-runnable.

CREATE SCHEMA IF NOT EXISTS reservation;

-- Roles belong to the whole cluster, so another database may just be making them too.
DO $$
DECLARE
    wanted text;
BEGIN
    FOREACH wanted IN ARRAY ARRAY['reservation_app', 'reservation_maintenance'] LOOP
        IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = wanted) THEN
            BEGIN
                EXECUTE format('CREATE ROLE %I NOLOGIN', wanted);
            EXCEPTION WHEN duplicate_object OR unique_violation THEN
                NULL;
            END;
        END IF;
    END LOOP;
END $$;

GRANT USAGE ON SCHEMA reservation TO reservation_app, reservation_maintenance;

-- A quote is never changed: items, lines, policy and exchange rate stay as the pricing service gave them.
CREATE TABLE IF NOT EXISTS reservation.quotes (
    quote_id          uuid        PRIMARY KEY,
    tenant_id         uuid        NOT NULL,
    property_id       uuid        NOT NULL,
    stay_start        date        NOT NULL,
    stay_end          date        NOT NULL,
    locale            text        NOT NULL,
    currency          text        NOT NULL,
    grand_total_micro bigint      NOT NULL CHECK (grand_total_micro > 0),
    items             jsonb       NOT NULL,
    lines             jsonb       NOT NULL,
    policy            jsonb       NOT NULL,
    fx_snapshot       jsonb,
    session_id        uuid,
    draft_id          uuid,
    region            text        NOT NULL, -- where the tenant's data must stay
    valid_until       timestamptz NOT NULL,
    created_at        timestamptz NOT NULL DEFAULT platform.now(),
    CHECK (stay_start < stay_end)
);
CREATE INDEX IF NOT EXISTS quotes_created_at ON reservation.quotes (created_at);

CREATE TABLE IF NOT EXISTS reservation.reservations (
    reservation_id    uuid        PRIMARY KEY,
    tenant_id         uuid        NOT NULL,
    property_id       uuid        NOT NULL,
    code              text        NOT NULL CHECK (code ~ '^GM-[A-Z0-9]{6,8}$'),
    -- A stored 'held' says nothing about whether the hold is over: whoever reads compares expires_at with platform.now().
    state             text        NOT NULL CHECK (state IN ('held', 'confirmed', 'check_in_started', 'checked_in',
                                      'checkout_started', 'checked_out', 'cancelled', 'no_show', 'expired_hold')),
    pending_step      text        NOT NULL CHECK (pending_step IN ('', 'await_inventory', 'await_payment')),
    version           int         NOT NULL CHECK (version > 0),
    channel           text        NOT NULL CHECK (channel IN ('direct', 'meta', 'walk_in', 'phone_by_staff', 'ota')),
    partner_id        text        NOT NULL,
    session_id        uuid,
    draft_id          uuid,
    quote_id          uuid        NOT NULL,
    guest_id          uuid        NOT NULL,
    guest_locale      text        NOT NULL,
    stay_start        date        NOT NULL,
    stay_end          date        NOT NULL,
    currency          text        NOT NULL,
    grand_total_micro bigint      NOT NULL CHECK (grand_total_micro > 0),
    policy            jsonb       NOT NULL,
    fx_snapshot       jsonb,
    hold_id           uuid        NOT NULL,
    payment_method    text        NOT NULL DEFAULT '' CHECK (payment_method IN ('', 'card', 'paypal', 'mfs', 'cash_on_arrival', 'mixed')),
    payment_status    text        NOT NULL DEFAULT '' CHECK (payment_status IN ('', 'captured', 'pending_cash')),
    payment_intent_id uuid,
    captured_micro    bigint      NOT NULL DEFAULT 0 CHECK (captured_micro >= 0),
    capture_event_id  uuid,
    region            text        NOT NULL,
    created_by        jsonb       NOT NULL,
    cancellation      jsonb,
    created_at        timestamptz NOT NULL DEFAULT platform.now(),
    confirmed_at      timestamptz,
    CONSTRAINT reservations_code UNIQUE (tenant_id, code),
    CONSTRAINT reservations_tenant UNIQUE (tenant_id, reservation_id),
    CHECK (stay_start < stay_end),
    -- Money is never kept without a room, and no room is promised without money or the promise of it.
    CONSTRAINT reservations_paid CHECK (state IN ('held', 'expired_hold', 'cancelled') OR
        (payment_status = 'captured' AND captured_micro >= grand_total_micro AND payment_intent_id IS NOT NULL AND capture_event_id IS NOT NULL) OR
        (payment_status = 'pending_cash' AND payment_intent_id IS NOT NULL)),
    CONSTRAINT reservations_cancelled CHECK ((state = 'cancelled') = (cancellation IS NOT NULL))
);
CREATE INDEX IF NOT EXISTS reservations_arrivals ON reservation.reservations (tenant_id, property_id, stay_start, reservation_id);
CREATE INDEX IF NOT EXISTS reservations_in_house ON reservation.reservations (tenant_id, property_id, reservation_id)
    WHERE state IN ('check_in_started', 'checked_in', 'checkout_started');

-- One room each.
CREATE TABLE IF NOT EXISTS reservation.reservation_items (
    item_id            uuid   PRIMARY KEY,
    tenant_id          uuid   NOT NULL,
    reservation_id     uuid   NOT NULL,
    position           int    NOT NULL CHECK (position >= 0),
    room_type_id       uuid   NOT NULL,
    rate_plan_id       uuid   NOT NULL,
    adults             int    NOT NULL CHECK (adults > 0),
    children           int    NOT NULL CHECK (children >= 0),
    infants            int    NOT NULL CHECK (infants >= 0),
    nightly_rate_micro bigint NOT NULL CHECK (nightly_rate_micro >= 0),
    total_micro        bigint NOT NULL CHECK (total_micro >= 0),
    FOREIGN KEY (tenant_id, reservation_id) REFERENCES reservation.reservations (tenant_id, reservation_id),
    UNIQUE (reservation_id, position)
);

-- Every hold a reservation ever had; its current one is reservations.hold_id. A hold has one outcome.
CREATE TABLE IF NOT EXISTS reservation.holds (
    hold_id        uuid        PRIMARY KEY,
    tenant_id      uuid        NOT NULL,
    reservation_id uuid        NOT NULL,
    allocation_ids uuid[]      NOT NULL CHECK (cardinality(allocation_ids) > 0), -- one per item, in the order of the items
    placed_at      timestamptz NOT NULL,
    expires_at     timestamptz NOT NULL,
    ttl_seconds    int         NOT NULL CHECK (ttl_seconds BETWEEN 120 AND 1800),
    status         text        NOT NULL CHECK (status IN ('live', 'committed', 'expired', 'released')),
    FOREIGN KEY (tenant_id, reservation_id) REFERENCES reservation.reservations (tenant_id, reservation_id),
    CHECK (placed_at < expires_at)
);
CREATE UNIQUE INDEX IF NOT EXISTS holds_current ON reservation.holds (reservation_id) WHERE status IN ('live', 'committed');
CREATE INDEX IF NOT EXISTS holds_due ON reservation.holds (expires_at) WHERE status = 'live';

-- Tenants see their own rows, whoever asks: the owner too (FORCE). No tenant set, no rows.
DO $$
DECLARE
    t text;
BEGIN
    FOREACH t IN ARRAY ARRAY['quotes', 'reservations', 'reservation_items', 'holds'] LOOP
        EXECUTE format('ALTER TABLE reservation.%I ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY', t);
        EXECUTE format('DROP POLICY IF EXISTS tenant_isolation ON reservation.%I', t);
        EXECUTE format('CREATE POLICY tenant_isolation ON reservation.%I TO reservation_app
            USING (tenant_id = NULLIF(current_setting(''app.tenant_id'', true), '''')::uuid)
            WITH CHECK (tenant_id = NULLIF(current_setting(''app.tenant_id'', true), '''')::uuid)', t);
    END LOOP;
END $$;

-- The sweep lists holds of all tenants as the maintenance role; it acts inside each tenant as the application.
DROP POLICY IF EXISTS sweep ON reservation.holds;
CREATE POLICY sweep ON reservation.holds FOR SELECT TO reservation_maintenance USING (true);

GRANT SELECT, INSERT ON reservation.quotes, reservation.reservation_items TO reservation_app;
GRANT SELECT, INSERT, UPDATE ON reservation.reservations, reservation.holds TO reservation_app;
GRANT SELECT (tenant_id, reservation_id, expires_at, status) ON reservation.holds TO reservation_maintenance;

-- What is to be told, in the order of each key.
CREATE TABLE IF NOT EXISTS reservation.outbox (
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
CREATE INDEX IF NOT EXISTS outbox_unpublished ON reservation.outbox (lane, seq) WHERE published_at IS NULL AND parked_reason IS NULL;
CREATE INDEX IF NOT EXISTS outbox_failing ON reservation.outbox (ordering_key, next_attempt_at)
    WHERE next_attempt_at IS NOT NULL AND published_at IS NULL AND parked_reason IS NULL;
CREATE INDEX IF NOT EXISTS outbox_parked ON reservation.outbox (seq) WHERE parked_reason IS NOT NULL;

-- Whoever holds a lane publishes its rows. Leases go by clock_timestamp(), for they are about processes. Neither column
-- is indexed and half of each page is free: taking and releasing a lane are heap-only updates.
CREATE TABLE IF NOT EXISTS reservation.outbox_lanes (
    lane         smallint    PRIMARY KEY CHECK (lane BETWEEN 0 AND 63),
    holder       uuid,
    leased_until timestamptz NOT NULL DEFAULT '-infinity'
) WITH (fillfactor = 50);
INSERT INTO reservation.outbox_lanes (lane) SELECT generate_series(0, 63) ON CONFLICT DO NOTHING;

GRANT SELECT, INSERT, UPDATE (published_at, attempts, next_attempt_at, last_error, parked_reason) ON reservation.outbox TO reservation_app;
GRANT SELECT, UPDATE (holder, leased_until) ON reservation.outbox_lanes TO reservation_app;
GRANT SELECT, DELETE ON reservation.outbox TO reservation_maintenance;

-- Which events have had their effect.
CREATE TABLE IF NOT EXISTS reservation.inbox_processed (
    event_id     uuid        NOT NULL,
    processor    text        NOT NULL,   -- the function
    subject      text        NOT NULL,
    processed_at timestamptz NOT NULL DEFAULT platform.now(),
    PRIMARY KEY (event_id, processor)
);
CREATE INDEX IF NOT EXISTS inbox_processed_age ON reservation.inbox_processed USING brin (processed_at); -- for the prune

GRANT SELECT, INSERT ON reservation.inbox_processed TO reservation_app;
GRANT SELECT, DELETE ON reservation.inbox_processed TO reservation_maintenance;

-- What an idempotent route answered, so that the same key gets the same answer again.
CREATE TABLE IF NOT EXISTS reservation.idempotency (
    key          text        PRIMARY KEY,            -- function and SHA-256 of tenant, caller, route and the client's key
    tenant_id    uuid        NOT NULL,
    request_hash text        NOT NULL,               -- the same key with another request is refused
    act          uuid        NOT NULL,               -- names what is being done: ids minted for it derive from this
    status_code  integer,                            -- NULL while the first call is running
    headers      bytea,                              -- sealed (AES-256-GCM), bound to key
    response     bytea,                              -- sealed (AES-256-GCM), bound to key; bytes, for jsonb reorders members
    locked_until timestamptz NOT NULL,               -- the running call's lease, by clock_timestamp(): it is about processes
    created_at   timestamptz NOT NULL DEFAULT platform.now(),
    expires_at   timestamptz NOT NULL DEFAULT platform.now() + interval '24 hours',
    CHECK ((status_code IS NULL) = (response IS NULL)),
    CHECK ((status_code IS NULL) = (headers IS NULL))
);
CREATE INDEX IF NOT EXISTS idempotency_expires_at ON reservation.idempotency (expires_at);

GRANT SELECT, INSERT, UPDATE ON reservation.idempotency TO reservation_app;
GRANT SELECT, DELETE ON reservation.idempotency TO reservation_maintenance;
