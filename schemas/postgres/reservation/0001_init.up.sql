-- reservation: quotes, reservations with their rooms, nights and charges, and what the front desk and the saga need. Re-runnable.

CREATE SCHEMA IF NOT EXISTS reservation;

-- Roles belong to the whole cluster, so another database may be creating them at the same time.
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

GRANT USAGE ON SCHEMA reservation TO reservation_app, reservation_maintenance, pg_monitor;

-- Tables ----------------------------------------------------------------------------------------------------------------------------

-- A quote is never changed: items, extras, lines, policy and exchange rate stay as the pricing service gave them.
CREATE TABLE IF NOT EXISTS reservation.quotes (
    quote_id            uuid        PRIMARY KEY,
    tenant_id           uuid        NOT NULL,
    property_id         uuid        NOT NULL,
    stay_start          date        NOT NULL,
    stay_end            date        NOT NULL,
    locale              text        NOT NULL,
    currency            text        NOT NULL,
    grand_total_micro   bigint      NOT NULL CHECK (grand_total_micro > 0),
    items               jsonb       NOT NULL, -- rooms with the price of each night
    extras              jsonb,                -- what belongs to no room; NULL: nothing
    lines               jsonb       NOT NULL, -- the bill, as shown to the guest
    policy              jsonb       NOT NULL,
    promo_code          text        NOT NULL DEFAULT '',
    fx_snapshot         jsonb,
    own_total_micro     bigint      CHECK (own_total_micro >= 0), -- in the tenant's own currency; NULL: that is the currency of the price
    own_currency        text,
    session_id          uuid,
    draft_id            uuid,
    region              text        NOT NULL, -- where the tenant's data must stay
    time_zone           text        NOT NULL,
    check_in_from       text        NOT NULL DEFAULT '',
    check_out_until     text        NOT NULL DEFAULT '',
    no_show_grace_hours int         NOT NULL CHECK (no_show_grace_hours >= 0),
    valid_until         timestamptz NOT NULL,
    created_at          timestamptz NOT NULL DEFAULT platform.now(),
    CHECK (stay_start < stay_end)
);
CREATE INDEX IF NOT EXISTS quotes_created_at ON reservation.quotes (created_at);

CREATE TABLE IF NOT EXISTS reservation.reservations (
    reservation_id      uuid        PRIMARY KEY,
    tenant_id           uuid        NOT NULL,
    property_id         uuid        NOT NULL,
    code                text        NOT NULL CHECK (code ~ '^GM-[A-Z0-9]{6,8}$'),
    -- A stored 'held' does not say that the hold is still valid: each read compares expires_at with platform.now().
    state               text        NOT NULL CHECK (state IN ('held', 'confirmed', 'check_in_started', 'checked_in',
                                        'checkout_started', 'checked_out', 'cancelled', 'no_show', 'expired_hold')),
    version             int         NOT NULL CHECK (version > 0),

    -- The saga step that the reservation waits for.
    pending_step        text        NOT NULL CHECK (pending_step IN
                                        ('', 'await_inventory', 'await_payment', 'await_keys', 'await_reallocation', 'await_release')),
    step_since          timestamptz,
    step_attempts       int         NOT NULL DEFAULT 0 CHECK (step_attempts >= 0),
    step_plan           jsonb,                    -- the change that takes effect when the step succeeds

    channel             text        NOT NULL CHECK (channel IN ('direct', 'meta', 'walk_in', 'phone_by_staff', 'ota')),
    partner_id          text        NOT NULL,
    session_id          uuid,
    draft_id            uuid,
    quote_id            uuid        NOT NULL,
    promo_code          text        NOT NULL DEFAULT '', -- of the quote, which is deleted after 90 days; changes are priced with it
    guest_id            uuid        NOT NULL,
    guest_locale        text        NOT NULL,
    stay_start          date        NOT NULL,
    stay_end            date        NOT NULL,

    -- The price: the sum of the charges; after the end of the stay, what was booked. Own: of the quote.
    currency            text        NOT NULL,
    grand_total_micro   bigint      NOT NULL CHECK (grand_total_micro >= 0),
    extras              jsonb,                    -- what belongs to no night and no room; NULL: nothing
    policy              jsonb       NOT NULL,
    fx_snapshot         jsonb,
    own_total_micro     bigint      CHECK (own_total_micro >= 0),
    own_currency        text,

    hold_id             uuid        NOT NULL,
    lost_at             timestamptz,              -- inventory has lost a booked room, and no change has taken another

    payment_method      text        NOT NULL DEFAULT '' CHECK (payment_method IN ('', 'card', 'paypal', 'mfs', 'cash_on_arrival', 'mixed')),
    payment_status      text        NOT NULL DEFAULT '' CHECK (payment_status IN ('', 'captured', 'pending_cash')),
    payment_intent_id   uuid,                     -- confirmed the reservation
    captured_micro      bigint      NOT NULL DEFAULT 0 CHECK (captured_micro >= 0),
    capture_event_id    uuid,
    payments            jsonb,                    -- one entry per intent
    refund_requests     jsonb,

    region              text        NOT NULL,
    time_zone           text        NOT NULL,
    check_in_from       text        NOT NULL DEFAULT '',
    check_out_until     text        NOT NULL DEFAULT '', -- '': 12:00
    no_show_grace_hours int         NOT NULL CHECK (no_show_grace_hours >= 0),
    spared_until        timestamptz,              -- a guest who is known to come is no no-show before
    overstayed_on       date,                     -- the last night that was published as overstayed
    keys                jsonb,
    check_in            jsonb,
    check_out           jsonb,
    no_show             jsonb,
    cancellation        jsonb,
    pending_change      jsonb,                    -- a change of dates that takes effect with its payment

    -- The quota of unpaid room nights of the guests of a hotel's site. A pseudonym of the address is kept until the reservation ends.
    unpaid_room_nights  int         NOT NULL DEFAULT 0 CHECK (unpaid_room_nights >= 0), -- while the hold lives or the stay is not over
    quota_nights        int         NOT NULL DEFAULT 0 CHECK (quota_nights >= 0),       -- maximum of a session, an e-mail address, a telephone number; 0: no quota
    quota_by_address    int         NOT NULL DEFAULT 0 CHECK (quota_by_address >= 0),   -- maximum of a client address
    quota_address       text        NOT NULL DEFAULT '',                                -- '': addresses have no limit
    created_by          jsonb       NOT NULL,
    created_at          timestamptz NOT NULL DEFAULT platform.now(),
    confirmed_at        timestamptz,
    CONSTRAINT reservations_code UNIQUE (tenant_id, code),
    CONSTRAINT reservations_tenant UNIQUE (tenant_id, reservation_id),
    CHECK (stay_start < stay_end),
    -- No room is promised without money or the promise of it.
    CONSTRAINT reservations_paid CHECK (state IN ('held', 'expired_hold', 'cancelled') OR
        (payment_status = 'captured' AND payment_intent_id IS NOT NULL AND capture_event_id IS NOT NULL) OR
        (payment_status = 'pending_cash' AND payment_intent_id IS NOT NULL)),
    CONSTRAINT reservations_cancelled CHECK ((state = 'cancelled') = (cancellation IS NOT NULL))
);

CREATE INDEX IF NOT EXISTS reservations_unpaid ON reservation.reservations (tenant_id)
    WHERE (unpaid_room_nights > 0 OR pending_change IS NOT NULL) AND quota_nights > 0;

-- The rooms of a reservation.
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
    nights             jsonb  NOT NULL, -- the present price of each night, with taxes and fees
    extras             jsonb,           -- what belongs to no night; NULL: nothing
    nightly_rate_micro bigint NOT NULL CHECK (nightly_rate_micro >= 0),
    total_micro        bigint NOT NULL CHECK (total_micro >= 0), -- of nights and extras
    policy             jsonb  NOT NULL,
    room_id            uuid,        -- the physical room, once assigned
    return_room_id     uuid,        -- the room that the guest gets again when an outage ends
    return_from        date,        -- the first night there
    free_until         timestamptz, -- set by a change of dates: the earlier of the old and the new deadline
    FOREIGN KEY (tenant_id, reservation_id) REFERENCES reservation.reservations (tenant_id, reservation_id),
    UNIQUE (reservation_id, position),
    CHECK ((return_room_id IS NULL) = (return_from IS NULL))
);

-- The account of a reservation, append-only: what the guest has to pay is the sum. A charge that no longer applies is reversed by another.
CREATE TABLE IF NOT EXISTS reservation.reservation_charges (
    tenant_id       uuid        NOT NULL,
    reservation_id  uuid        NOT NULL,
    version         int         NOT NULL, -- of the reservation after the change: a reader of an older row ignores later charges
    seq             int         NOT NULL CHECK (seq > 0),
    kind            text        NOT NULL CHECK (kind IN ('night', 'fee', 'retained', 'adjustment', 'reversal')),
    item_id         uuid,                 -- NULL: of the stay as a whole; no foreign key, because a removed room keeps its charges
    night           date,                 -- NULL: of no night
    amount_micro    bigint      NOT NULL CHECK (amount_micro <> 0),
    reverses        int,                  -- the seq of the charge that a reversal undoes
    cause           text        NOT NULL CHECK (cause IN ('booking', 'modification', 'cancellation', 'no_show', 'early_checkout', 'goodwill')),
    modification_id uuid,
    charged_at      timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, reservation_id, seq),
    FOREIGN KEY (tenant_id, reservation_id) REFERENCES reservation.reservations (tenant_id, reservation_id),
    CHECK ((kind = 'night') <= (night IS NOT NULL)),
    CHECK ((kind = 'reversal') = (reverses IS NOT NULL)),
    CHECK ((cause = 'modification') = (modification_id IS NOT NULL))
);
-- A charge is reversed once.
CREATE UNIQUE INDEX IF NOT EXISTS reservation_charges_reverses ON reservation.reservation_charges (tenant_id, reservation_id, reverses)
    WHERE reverses IS NOT NULL;

-- Every hold of a reservation; the current one is reservations.hold_id. A hold has one outcome.
CREATE TABLE IF NOT EXISTS reservation.holds (
    hold_id        uuid        PRIMARY KEY,
    tenant_id      uuid        NOT NULL,
    reservation_id uuid        NOT NULL,
    allocation_ids uuid[]      NOT NULL CHECK (cardinality(allocation_ids) > 0), -- one per item, in the order of the items
    taken_ids      uuid[]      NOT NULL DEFAULT '{}', -- those that inventory has published
    placed_at      timestamptz NOT NULL,
    expires_at     timestamptz NOT NULL,
    ttl_seconds    int         NOT NULL CHECK (ttl_seconds BETWEEN 120 AND 1800),
    status         text        NOT NULL CHECK (status IN ('live', 'committed', 'expired', 'released')),
    FOREIGN KEY (tenant_id, reservation_id) REFERENCES reservation.reservations (tenant_id, reservation_id),
    CHECK (placed_at < expires_at)
);
CREATE UNIQUE INDEX IF NOT EXISTS holds_current ON reservation.holds (reservation_id) WHERE status IN ('live', 'committed');
CREATE INDEX IF NOT EXISTS holds_due_in_order ON reservation.holds (expires_at, reservation_id) WHERE status = 'live';
CREATE INDEX IF NOT EXISTS holds_reservation ON reservation.holds (tenant_id, reservation_id);

-- Changes of a booked reservation, append-only.
CREATE TABLE IF NOT EXISTS reservation.modifications (
    modification_id    uuid        PRIMARY KEY,
    tenant_id          uuid        NOT NULL,
    reservation_id     uuid        NOT NULL,
    version            int         NOT NULL, -- of the reservation after the change
    type               text        NOT NULL CHECK (type IN ('date_change', 'room_change', 'room_added', 'room_removed', 'guest_count_change',
                           'rate_change', 'guest_profile_update', 'channel_attribution_corrected', 'manual_state_override')),
    before             jsonb       NOT NULL,
    after              jsonb       NOT NULL,
    policy_applied_ref text        NOT NULL,
    price_delta_micro  bigint,
    request            jsonb,                -- the refund or charge that followed
    actor              jsonb       NOT NULL,
    occurred_at        timestamptz NOT NULL,
    FOREIGN KEY (tenant_id, reservation_id) REFERENCES reservation.reservations (tenant_id, reservation_id)
);
CREATE INDEX IF NOT EXISTS modifications_reservation ON reservation.modifications (tenant_id, reservation_id, version);

-- Names and contact data are in this table and in no other.
CREATE TABLE IF NOT EXISTS reservation.guests (
    reservation_id   uuid        PRIMARY KEY,
    tenant_id        uuid        NOT NULL,
    guest_id         uuid        NOT NULL,
    first_name       text        NOT NULL,
    last_name        text        NOT NULL,
    email            text        NOT NULL, -- '': a guest at the desk gave none
    phone            text        NOT NULL,
    locale           text        NOT NULL,
    special_requests text        NOT NULL DEFAULT '',
    email_hash       text        NOT NULL CHECK (email_hash ~ '^([0-9a-f]{64})?$'), -- salted per tenant
    phone_hash       text        NOT NULL CHECK (phone_hash ~ '^([0-9a-f]{64})?$'),
    named_at         timestamptz NOT NULL DEFAULT platform.now(),
    FOREIGN KEY (tenant_id, reservation_id) REFERENCES reservation.reservations (tenant_id, reservation_id)
);
CREATE INDEX IF NOT EXISTS guests_email ON reservation.guests (tenant_id, email_hash);
CREATE INDEX IF NOT EXISTS guests_phone ON reservation.guests (tenant_id, phone_hash);

-- What guests and staff ask for.
CREATE TABLE IF NOT EXISTS reservation.special_requests (
    special_request_id uuid        PRIMARY KEY,
    tenant_id          uuid        NOT NULL,
    reservation_id     uuid        NOT NULL,
    tags               text[]      NOT NULL CHECK (cardinality(tags) BETWEEN 1 AND 10),
    free_text          text        NOT NULL, -- scrubbed
    locale             text        NOT NULL,
    source             text        NOT NULL DEFAULT 'guest' CHECK (source IN ('guest', 'staff', 'ai_parser')),
    ai_provenance      jsonb       CHECK ((ai_provenance IS NOT NULL) = (source = 'ai_parser')),
    added_at           timestamptz NOT NULL DEFAULT platform.now(),
    added_by           jsonb       NOT NULL,
    FOREIGN KEY (tenant_id, reservation_id) REFERENCES reservation.reservations (tenant_id, reservation_id)
);
CREATE INDEX IF NOT EXISTS special_requests_reservation ON reservation.special_requests (tenant_id, reservation_id);

-- One guest per room and night.
CREATE TABLE IF NOT EXISTS reservation.room_nights (
    tenant_id      uuid NOT NULL,
    room_id        uuid NOT NULL,
    night          date NOT NULL,
    reservation_id uuid NOT NULL,
    item_id        uuid NOT NULL,
    PRIMARY KEY (tenant_id, room_id, night),
    FOREIGN KEY (tenant_id, reservation_id) REFERENCES reservation.reservations (tenant_id, reservation_id)
);
CREATE INDEX IF NOT EXISTS room_nights_reservation ON reservation.room_nights (tenant_id, reservation_id);

-- Rooms that cannot be used, as the property service published them.
CREATE TABLE IF NOT EXISTS reservation.rooms_out_of_order (
    tenant_id   uuid        NOT NULL,
    property_id uuid        NOT NULL,
    room_id     uuid        NOT NULL,
    from_date   date        NOT NULL,
    until_date  date        NOT NULL,
    since       timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, room_id, from_date, until_date),
    CHECK (from_date < until_date)
);
CREATE INDEX IF NOT EXISTS rooms_out_of_order_property ON reservation.rooms_out_of_order (tenant_id, property_id);
CREATE INDEX IF NOT EXISTS rooms_out_of_order_begun ON reservation.rooms_out_of_order (from_date, room_id, until_date);

-- The latest settings of each tenant, as the tenant service published them.
CREATE TABLE IF NOT EXISTS reservation.tenant_settings (
    tenant_id           uuid        PRIMARY KEY,
    hold_ttl_seconds    int         NOT NULL,
    no_show_grace_hours int         NOT NULL,
    changed_at          timestamptz NOT NULL
);

-- Erasures of guests who asked for it: a request that becomes the receipt.
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

-- Lists and sweeps -------------------------------------------------------------------------------------------------------------------

-- The lists of the front desk.
CREATE INDEX IF NOT EXISTS reservations_arrivals ON reservation.reservations (tenant_id, property_id, stay_start, reservation_id);
CREATE INDEX IF NOT EXISTS reservations_arriving ON reservation.reservations (tenant_id, property_id, stay_start, reservation_id)
    WHERE state = 'confirmed';
CREATE INDEX IF NOT EXISTS reservations_in_house ON reservation.reservations (tenant_id, property_id, reservation_id)
    WHERE state IN ('check_in_started', 'checked_in', 'checkout_started');
CREATE INDEX IF NOT EXISTS reservations_waiting ON reservation.reservations (tenant_id, property_id, step_since)
    WHERE step_since IS NOT NULL;
CREATE INDEX IF NOT EXISTS reservations_lost ON reservation.reservations (tenant_id, property_id, reservation_id) WHERE lost_at IS NOT NULL;
-- Guests who left with an unsettled bill; the others owe nothing.
CREATE INDEX IF NOT EXISTS reservations_unsettled ON reservation.reservations (tenant_id, property_id, reservation_id)
    WHERE state = 'checked_out' AND (check_out #>> '{folio,settled}') IS DISTINCT FROM 'true';

-- The sweeps list candidates of all tenants in these orders.
CREATE INDEX IF NOT EXISTS reservations_awaited ON reservation.reservations (stay_start, reservation_id) WHERE state = 'confirmed';
CREATE INDEX IF NOT EXISTS reservations_leaving ON reservation.reservations (stay_end, reservation_id) WHERE state IN ('checked_in', 'checkout_started');
CREATE INDEX IF NOT EXISTS reservations_step ON reservation.reservations (step_since, reservation_id) WHERE step_since IS NOT NULL;

-- Tenants see their own rows, also the owner of the tables (FORCE). Without a tenant there are no rows.
DO $$
DECLARE
    t text;
BEGIN
    FOREACH t IN ARRAY ARRAY['quotes', 'reservations', 'reservation_items', 'reservation_charges', 'holds', 'modifications', 'guests',
            'special_requests', 'room_nights', 'rooms_out_of_order', 'tenant_settings', 'erasures'] LOOP
        EXECUTE format('ALTER TABLE reservation.%I ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY', t);
        EXECUTE format('DROP POLICY IF EXISTS tenant_isolation ON reservation.%I', t);
        EXECUTE format('CREATE POLICY tenant_isolation ON reservation.%I TO reservation_app
            USING (tenant_id = NULLIF(current_setting(''app.tenant_id'', true), '''')::uuid)
            WITH CHECK (tenant_id = NULLIF(current_setting(''app.tenant_id'', true), '''')::uuid)', t);
    END LOOP;
END $$;

GRANT SELECT, INSERT ON reservation.quotes, reservation.reservation_charges, reservation.modifications TO reservation_app;
GRANT SELECT, INSERT, UPDATE ON reservation.reservations, reservation.holds, reservation.guests, reservation.rooms_out_of_order,
    reservation.tenant_settings TO reservation_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON reservation.reservation_items, reservation.special_requests TO reservation_app;
GRANT SELECT, INSERT, DELETE ON reservation.room_nights TO reservation_app;
GRANT SELECT, INSERT, UPDATE (completed_at, deleted, retained) ON reservation.erasures TO reservation_app;

-- The sweeps list candidates as the maintenance role and act inside each tenant as the application.
DROP POLICY IF EXISTS sweep ON reservation.holds;
CREATE POLICY sweep ON reservation.holds FOR SELECT TO reservation_maintenance USING (true);
DROP POLICY IF EXISTS sweep ON reservation.reservations;
CREATE POLICY sweep ON reservation.reservations FOR SELECT TO reservation_maintenance
    USING (state IN ('confirmed', 'checked_in', 'checkout_started') OR step_since IS NOT NULL);
DROP POLICY IF EXISTS sweep ON reservation.rooms_out_of_order;
CREATE POLICY sweep ON reservation.rooms_out_of_order FOR SELECT TO reservation_maintenance USING (true);
GRANT SELECT (tenant_id, property_id, room_id, from_date, until_date) ON reservation.rooms_out_of_order TO reservation_maintenance;
GRANT SELECT (tenant_id, reservation_id, expires_at, status) ON reservation.holds TO reservation_maintenance;
GRANT SELECT (tenant_id, reservation_id, state, stay_start, stay_end, step_since, step_attempts, confirmed_at)
    ON reservation.reservations TO reservation_maintenance;

-- The prune sees and deletes quotes older than 90 days.
DROP POLICY IF EXISTS prune_looks ON reservation.quotes;
DROP POLICY IF EXISTS prune_removes ON reservation.quotes;
CREATE POLICY prune_looks ON reservation.quotes FOR SELECT TO reservation_maintenance
    USING (created_at < platform.now() - interval '90 days');
CREATE POLICY prune_removes ON reservation.quotes FOR DELETE TO reservation_maintenance
    USING (created_at < platform.now() - interval '90 days');
GRANT SELECT (quote_id, created_at), DELETE ON reservation.quotes TO reservation_maintenance;

-- The maintenance role may delete a guest with what was asked for: 30 days after the last hold if the reservation was never confirmed,
-- while an erasure is open, and three years after the stay.
DO $$
DECLARE
    t text;
    rule text[];
    lapsed CONSTANT text := 'EXISTS (SELECT FROM reservation.reservations AS r WHERE r.tenant_id = %1$I.tenant_id
            AND r.reservation_id = %1$I.reservation_id AND r.state IN (''expired_hold'', ''cancelled'') AND r.confirmed_at IS NULL)
        AND NOT EXISTS (SELECT FROM reservation.holds AS h WHERE h.tenant_id = %1$I.tenant_id
            AND h.reservation_id = %1$I.reservation_id AND h.expires_at >= platform.now() - interval ''30 days'')';
    erased CONSTANT text := 'EXISTS (SELECT FROM reservation.erasures AS e WHERE e.tenant_id = %1$I.tenant_id
            AND e.reservation_id = %1$I.reservation_id AND e.completed_at IS NULL)';
    past CONSTANT text := 'EXISTS (SELECT FROM reservation.reservations AS r WHERE r.tenant_id = %1$I.tenant_id
            AND r.reservation_id = %1$I.reservation_id AND r.state IN (''checked_out'', ''cancelled'', ''no_show'')
            AND r.stay_end < (platform.now() - interval ''3 years'')::date)';
BEGIN
    FOREACH t IN ARRAY ARRAY['guests', 'special_requests', 'modifications'] LOOP
        FOREACH rule SLICE 1 IN ARRAY ARRAY[['prune', lapsed], ['erasure', erased], ['past', past]] LOOP
            CONTINUE WHEN t = 'modifications' AND rule[1] <> 'erasure';
            EXECUTE format('DROP POLICY IF EXISTS %I ON reservation.%I', rule[1] || '_looks', t);
            EXECUTE format('DROP POLICY IF EXISTS %I ON reservation.%I', rule[1] || '_removes', t);
            EXECUTE format('CREATE POLICY ' || rule[1] || '_looks ON reservation.%1$I FOR SELECT TO reservation_maintenance USING (' || rule[2] || ')', t);
            EXECUTE format('CREATE POLICY ' || rule[1] || '_removes ON reservation.%1$I FOR DELETE TO reservation_maintenance USING (' || rule[2] || ')', t);
        END LOOP;
    END LOOP;
END $$;
GRANT SELECT (reservation_id, tenant_id), DELETE ON reservation.guests TO reservation_maintenance;
GRANT SELECT (special_request_id, reservation_id, tenant_id), DELETE ON reservation.special_requests TO reservation_maintenance;
GRANT SELECT (modification_id, tenant_id, reservation_id, type), DELETE ON reservation.modifications TO reservation_maintenance;

-- Those policies read these reservations and erasures as the maintenance role.
DROP POLICY IF EXISTS lapsed ON reservation.reservations;
CREATE POLICY lapsed ON reservation.reservations FOR SELECT TO reservation_maintenance
    USING (state IN ('expired_hold', 'cancelled') AND confirmed_at IS NULL);
DROP POLICY IF EXISTS past ON reservation.reservations;
CREATE POLICY past ON reservation.reservations FOR SELECT TO reservation_maintenance
    USING (state IN ('checked_out', 'cancelled', 'no_show') AND stay_end < (platform.now() - interval '3 years')::date);
DROP POLICY IF EXISTS erases ON reservation.erasures;
CREATE POLICY erases ON reservation.erasures FOR SELECT TO reservation_maintenance USING (true);
GRANT SELECT ON reservation.erasures TO reservation_maintenance;

-- The job database reports the backlog and the saga steps that do not end. Its login may assume pg_monitor, which may read these columns
-- and no others.
GRANT SELECT (status, expires_at) ON reservation.holds TO pg_monitor;
GRANT SELECT (tenant_id, property_id, reservation_id, state, pending_step, step_since, step_attempts) ON reservation.reservations TO pg_monitor;
DROP POLICY IF EXISTS monitor ON reservation.holds;
DROP POLICY IF EXISTS monitor ON reservation.reservations;
CREATE POLICY monitor ON reservation.holds FOR SELECT TO pg_monitor USING (status = 'live');
CREATE POLICY monitor ON reservation.reservations FOR SELECT TO pg_monitor USING (step_since IS NOT NULL);

-- Tables that each service has (schemas/postgres/README.md) ------------------------------------------------------------------------------

-- The stored responses of idempotent routes.
CREATE TABLE IF NOT EXISTS reservation.idempotency (
    key          text COLLATE "C" PRIMARY KEY,       -- function, hash of tenant and caller, SHA-256 of both with route and the client's key
    tenant_id    uuid        NOT NULL,
    request_hash text        NOT NULL,               -- the same key with a different request is rejected
    act          uuid        NOT NULL,               -- the act: its new ids derive from this value
    status_code  integer,                            -- NULL while the first call is in progress
    headers      bytea,                              -- sealed (AES-256-GCM), bound to key
    response     bytea,                              -- sealed (AES-256-GCM), bound to key; bytes, because jsonb reorders members
    locked_until timestamptz NOT NULL,               -- lease of the call in progress, by clock_timestamp(), because it concerns processes
    created_at   timestamptz NOT NULL DEFAULT platform.now(),
    expires_at   timestamptz NOT NULL DEFAULT platform.now() + interval '24 hours',
    CHECK ((status_code IS NULL) = (response IS NULL)),
    CHECK ((status_code IS NULL) = (headers IS NULL))
) WITH (fillfactor = 80); -- leaves space for the response on the page of its claim: storing it is a heap-only update
CREATE INDEX IF NOT EXISTS idempotency_expires_at ON reservation.idempotency (expires_at);

GRANT SELECT, INSERT, UPDATE ON reservation.idempotency TO reservation_app;
GRANT SELECT, DELETE ON reservation.idempotency TO reservation_maintenance;

-- Events to publish.
CREATE TABLE IF NOT EXISTS reservation.outbox (
    seq             bigint      GENERATED ALWAYS AS IDENTITY, -- order within a key
    id              uuid        PRIMARY KEY,                  -- the same 128 bits as event_id, so one unique index is enough
    event_id        text        NOT NULL,
    tenant_id       uuid,                                     -- NULL: an event without a tenant
    subject         text        NOT NULL,
    ordering_key    text        NOT NULL,
    lane            smallint    NOT NULL GENERATED ALWAYS AS ((hashtextextended(ordering_key, 0) & 63)::smallint) STORED,
    payload         jsonb       NOT NULL,
    envelope        jsonb       NOT NULL,
    occurred_at     timestamptz NOT NULL,
    deferred        boolean     NOT NULL DEFAULT false,       -- left to the relay, which comes every minute
    enqueued_at     timestamptz NOT NULL DEFAULT platform.now(),
    published_at    timestamptz,
    attempts        int         NOT NULL DEFAULT 0,
    next_attempt_at timestamptz,                              -- set after a failure: the whole key waits until then
    last_error      text,
    parked_reason   text,                                     -- set: the row is not published until a person decides
    status          text        NOT NULL GENERATED ALWAYS AS (CASE
                        WHEN published_at  IS NOT NULL THEN 'published'
                        WHEN parked_reason IS NOT NULL THEN 'parked'
                        WHEN attempts > 0              THEN 'retrying'
                        ELSE 'pending' END) STORED,
    CHECK (published_at IS NULL OR parked_reason IS NULL)
) WITH (fillfactor = 90, autovacuum_vacuum_scale_factor = 0.02);

-- Unpublished rows in order. Marking a row removes it from this index, so the mark cannot be a heap-only update. Therefore
-- no other index contains a marked column, except for the few rows that failed or are parked, and for erasures.
CREATE INDEX IF NOT EXISTS outbox_unpublished ON reservation.outbox (lane, seq) WHERE published_at IS NULL AND parked_reason IS NULL;
CREATE INDEX IF NOT EXISTS outbox_failing ON reservation.outbox (ordering_key, next_attempt_at)
    WHERE next_attempt_at IS NOT NULL AND published_at IS NULL AND parked_reason IS NULL;
CREATE INDEX IF NOT EXISTS outbox_parked ON reservation.outbox (seq) WHERE parked_reason IS NOT NULL;
-- For erasures: the published events of a key. A row enters it when it is marked.
CREATE INDEX IF NOT EXISTS outbox_published ON reservation.outbox (ordering_key) WHERE published_at IS NOT NULL;

-- The holder of a lane publishes its rows. Leases use clock_timestamp(), because they concern processes. Neither column is
-- indexed and half of each page is free, so taking and releasing a lane are heap-only updates.
CREATE TABLE IF NOT EXISTS reservation.outbox_lanes (
    lane         smallint    PRIMARY KEY CHECK (lane BETWEEN 0 AND 63),
    holder       uuid,
    leased_until timestamptz NOT NULL DEFAULT '-infinity'
) WITH (fillfactor = 50);
INSERT INTO reservation.outbox_lanes (lane) SELECT generate_series(0, 63) ON CONFLICT DO NOTHING;

GRANT SELECT, INSERT, UPDATE (published_at, attempts, next_attempt_at, last_error, parked_reason) ON reservation.outbox TO reservation_app;
GRANT SELECT, UPDATE (holder, leased_until) ON reservation.outbox_lanes TO reservation_app;
GRANT SELECT, DELETE ON reservation.outbox TO reservation_maintenance;
GRANT SELECT (lane, enqueued_at, published_at, next_attempt_at, parked_reason) ON reservation.outbox TO pg_monitor; -- jobs/database

-- Processed events.
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
GRANT SELECT (processed_at) ON reservation.inbox_processed TO pg_monitor; -- jobs/database
