-- bff_tenant_booking: what guests are booking on hotels' own sites. Re-runnable.

CREATE SCHEMA IF NOT EXISTS bff_tenant_booking;

-- Roles belong to the whole cluster, so another database may just be making them too.
DO $$
DECLARE
    wanted text;
BEGIN
    FOREACH wanted IN ARRAY ARRAY['bff_tenant_booking_app', 'bff_tenant_booking_maintenance'] LOOP
        IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = wanted) THEN
            BEGIN
                EXECUTE format('CREATE ROLE %I NOLOGIN', wanted);
            EXCEPTION WHEN duplicate_object OR unique_violation THEN
                NULL;
            END;
        END IF;
    END LOOP;
END $$;

GRANT USAGE ON SCHEMA bff_tenant_booking TO bff_tenant_booking_app, bff_tenant_booking_maintenance;

-- A draft's truth: every change is one row, one version more, and its events, in one transaction.
CREATE TABLE IF NOT EXISTS bff_tenant_booking.booking_drafts (
    draft_id       uuid        PRIMARY KEY,
    tenant_id      uuid        NOT NULL,
    session_id     uuid        NOT NULL,
    state          text        NOT NULL CHECK (state IN ('quoting', 'holding', 'collecting_details', 'paying', 'confirming',
                                   'confirmed', 'abandoned', 'failed')),
    version        int         NOT NULL CHECK (version > 0),
    reservation_id uuid,
    body           jsonb       NOT NULL, -- quote, hold, payment and history; the guest's name and addresses until the end
    created_at     timestamptz NOT NULL,
    active_at      timestamptz NOT NULL, -- when the guest was last seen at it
    expires_at     timestamptz NOT NULL, -- when the sweep looks at it
    ended_at       timestamptz,
    CONSTRAINT booking_drafts_held CHECK (state IN ('quoting', 'abandoned') OR reservation_id IS NOT NULL),
    CONSTRAINT booking_drafts_ended CHECK ((ended_at IS NOT NULL) = (state IN ('confirmed', 'abandoned', 'failed'))),
    -- Who has booked is told by the reservation; a draft that is over keeps nobody's name.
    CONSTRAINT booking_drafts_forgotten CHECK (ended_at IS NULL OR NOT jsonb_exists(body, 'guest'))
);
CREATE INDEX IF NOT EXISTS booking_drafts_due_in_order ON bff_tenant_booking.booking_drafts (expires_at, draft_id); -- for the sweep, also where many are due at once
CREATE INDEX IF NOT EXISTS booking_drafts_reservation ON bff_tenant_booking.booking_drafts (tenant_id, reservation_id) WHERE reservation_id IS NOT NULL;
CREATE INDEX IF NOT EXISTS booking_drafts_session ON bff_tenant_booking.booking_drafts (tenant_id, session_id);

-- What is kept of a draft after its end, for analytics: hashes instead of names and addresses.
CREATE TABLE IF NOT EXISTS bff_tenant_booking.booking_draft_snapshots (
    id                 uuid        PRIMARY KEY DEFAULT gen_random_uuid(),
    draft_id           text        NOT NULL UNIQUE, -- a draft ends once
    tenant_id          uuid        NOT NULL,
    session_id         text        NOT NULL,
    reservation_id     text,
    property_id        text,
    room_type_id       text,
    rate_plan_id       text,
    final_state        text        NOT NULL CHECK (final_state IN ('converted', 'abandoned', 'failed')),
    created_at         timestamptz NOT NULL,
    finalized_at       timestamptz NOT NULL DEFAULT platform.now(),
    total_minor        bigint,
    currency           text,
    guest_email_hash   text CHECK (guest_email_hash ~ '^sha256:[0-9a-f]{64}$'),
    guest_phone_hash   text CHECK (guest_phone_hash ~ '^sha256:[0-9a-f]{64}$'),
    marketing          jsonb,
    flow_state_history jsonb       NOT NULL DEFAULT '[]'::jsonb,
    error_trail        jsonb       NOT NULL DEFAULT '[]'::jsonb,
    payment_method     text,
    payment_provider   text,
    device_class       text,
    locale             text,
    display_currency   text
);
CREATE INDEX IF NOT EXISTS ix_drafts_tenant_finalized ON bff_tenant_booking.booking_draft_snapshots (tenant_id, finalized_at DESC);
CREATE INDEX IF NOT EXISTS ix_drafts_state ON bff_tenant_booking.booking_draft_snapshots (final_state, finalized_at DESC);
CREATE INDEX IF NOT EXISTS ix_drafts_session ON bff_tenant_booking.booking_draft_snapshots (session_id, finalized_at DESC);
CREATE INDEX IF NOT EXISTS booking_draft_snapshots_age ON bff_tenant_booking.booking_draft_snapshots USING brin (finalized_at); -- for the prune

-- Which handoffs have arrived. One handoff is used once: its id is unique, and one conditional update consumes it.
CREATE TABLE IF NOT EXISTS bff_tenant_booking.handoff_arrival_log (
    id                         text        PRIMARY KEY CHECK (id ~ '^bha_[0-9A-HJKMNP-TV-Z]{26}$'),
    handoff_id                 uuid        NOT NULL UNIQUE,
    tenant_id                  uuid        NOT NULL,
    session_id                 uuid,                    -- the one session that consumed it, and may repeat it
    consumer_session_id        text        NOT NULL,
    property_id                text        NOT NULL,
    received_at                timestamptz NOT NULL DEFAULT platform.now(),
    expires_at                 timestamptz NOT NULL,
    consumed                   boolean     NOT NULL DEFAULT false,
    consumed_at                timestamptz,
    payload                    jsonb       NOT NULL,
    hmac_signature_fingerprint text        NOT NULL CHECK (hmac_signature_fingerprint ~ '^sha256:[0-9a-f]{64}$'),
    booking_draft_id           text,
    signing_key_id             text        NOT NULL,
    remote_ip_hash             text        NOT NULL,
    user_agent_class           text        NOT NULL,
    CHECK (consumed = (consumed_at IS NOT NULL)),
    CHECK (NOT consumed OR session_id IS NOT NULL)
);
CREATE INDEX IF NOT EXISTS ix_handoff_tenant_received ON bff_tenant_booking.handoff_arrival_log (tenant_id, received_at DESC);
CREATE INDEX IF NOT EXISTS ix_handoff_consumer_session ON bff_tenant_booking.handoff_arrival_log (consumer_session_id);
CREATE INDEX IF NOT EXISTS ix_handoff_consumed ON bff_tenant_booking.handoff_arrival_log (consumed, expires_at);
CREATE INDEX IF NOT EXISTS handoff_arrival_log_session ON bff_tenant_booking.handoff_arrival_log (tenant_id, session_id); -- for an erasure
CREATE INDEX IF NOT EXISTS handoff_arrival_log_age ON bff_tenant_booking.handoff_arrival_log USING brin (received_at); -- for the prune

-- When a confirmation was last shown to a session: it is told of once a day.
CREATE TABLE IF NOT EXISTS bff_tenant_booking.confirmation_views (
    tenant_id      uuid        NOT NULL,
    reservation_id uuid        NOT NULL,
    session_id     uuid        NOT NULL,
    told_at        timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, reservation_id, session_id)
);
CREATE INDEX IF NOT EXISTS confirmation_views_age ON bff_tenant_booking.confirmation_views (told_at); -- for the prune

-- The session that made a booking may change, cancel and pay for it until 30 days after the stay, as long as a view token is valid.
-- The snapshot of its draft is deleted earlier.
CREATE TABLE IF NOT EXISTS bff_tenant_booking.booking_owners (
    tenant_id      uuid        NOT NULL,
    reservation_id uuid        NOT NULL,
    session_id     uuid        NOT NULL,
    draft_id       uuid        NOT NULL,
    stay_end       timestamptz NOT NULL,              -- midnight UTC of the day of departure
    intents        uuid[]      NOT NULL DEFAULT '{}', -- payments of what was due later, whose events are published
    PRIMARY KEY (tenant_id, reservation_id)
);
CREATE INDEX IF NOT EXISTS booking_owners_session ON bff_tenant_booking.booking_owners (tenant_id, session_id);
CREATE INDEX IF NOT EXISTS booking_owners_age ON bff_tenant_booking.booking_owners (stay_end); -- for the prune

-- The application sees the rows of the tenant that its transaction names, and none without one. FORCE: no policy is for the owner of the
-- tables, who sees no rows. Two policies have the names of the specification.
DO $$
DECLARE
    t text;
    policy text;
BEGIN
    FOREACH t IN ARRAY ARRAY['booking_drafts', 'booking_draft_snapshots', 'handoff_arrival_log', 'confirmation_views', 'booking_owners'] LOOP
        policy := CASE WHEN t IN ('booking_draft_snapshots', 'handoff_arrival_log') THEN t || '_' ELSE '' END || 'tenant_isolation';
        EXECUTE format('ALTER TABLE bff_tenant_booking.%I ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY', t);
        EXECUTE format('DROP POLICY IF EXISTS %I ON bff_tenant_booking.%I', policy, t);
        EXECUTE format('CREATE POLICY %I ON bff_tenant_booking.%I TO bff_tenant_booking_app
            USING (tenant_id = NULLIF(current_setting(''app.tenant_id'', true), '''')::uuid)
            WITH CHECK (tenant_id = NULLIF(current_setting(''app.tenant_id'', true), '''')::uuid)', policy, t);
    END LOOP;
END $$;

GRANT SELECT, INSERT, UPDATE, DELETE ON bff_tenant_booking.booking_drafts TO bff_tenant_booking_app;
GRANT SELECT, INSERT, UPDATE (session_id) ON bff_tenant_booking.booking_draft_snapshots TO bff_tenant_booking_app; -- the session's id changes when its guest is named
GRANT SELECT, INSERT, UPDATE ON bff_tenant_booking.handoff_arrival_log, bff_tenant_booking.confirmation_views TO bff_tenant_booking_app;
GRANT SELECT, INSERT, UPDATE (session_id, stay_end, intents) ON bff_tenant_booking.booking_owners TO bff_tenant_booking_app;

-- The maintenance role acts for all tenants, without what the rows say: the sweep lists drafts, the prune deletes rows whose time is over,
-- and an erasure deletes the rows of one reservation, or the expired arrivals of its sessions, which a setting of its transaction names. An
-- arrival that has not expired stays, because its row prevents a second use of the handoff.
DROP POLICY IF EXISTS sweep ON bff_tenant_booking.booking_drafts;
CREATE POLICY sweep ON bff_tenant_booking.booking_drafts FOR SELECT TO bff_tenant_booking_maintenance USING (true);
DO $$
DECLARE
    rule record;
BEGIN
    FOR rule IN SELECT t.name, act, command, suffix, CASE act WHEN 'prune' THEN t.is_over ELSE t.is_erased END AS which
        FROM (VALUES
            ('handoff_arrival_log', $c$received_at < platform.now() - interval '30 days'$c$,
                $c$session_id = ANY (NULLIF(current_setting('app.erased_sessions', true), '')::uuid[]) AND expires_at < platform.now()$c$),
            ('booking_draft_snapshots', $c$finalized_at < platform.now() - interval '30 days'$c$,
                $c$reservation_id = NULLIF(current_setting('app.erased_name', true), '')$c$),
            ('confirmation_views', $c$told_at < platform.now() - interval '24 hours'$c$,
                $c$reservation_id = NULLIF(current_setting('app.erased_reservation', true), '')::uuid$c$),
            ('booking_owners', $c$stay_end < platform.now() - interval '30 days'$c$,
                $c$reservation_id = NULLIF(current_setting('app.erased_reservation', true), '')::uuid$c$)) AS t (name, is_over, is_erased),
            (VALUES ('prune'), ('erasure')) AS a (act),
            (VALUES ('SELECT', '_looks'), ('DELETE', '_removes')) AS c (command, suffix) LOOP
        EXECUTE format('DROP POLICY IF EXISTS %I ON bff_tenant_booking.%I', rule.act || rule.suffix, rule.name);
        EXECUTE format('CREATE POLICY %I ON bff_tenant_booking.%I FOR %s TO bff_tenant_booking_maintenance USING (%s)',
            rule.act || rule.suffix, rule.name, rule.command, rule.which);
    END LOOP;
END $$;

GRANT SELECT (tenant_id, draft_id, expires_at, ended_at) ON bff_tenant_booking.booking_drafts TO bff_tenant_booking_maintenance;
GRANT SELECT (id, tenant_id, session_id, received_at, expires_at), DELETE ON bff_tenant_booking.handoff_arrival_log TO bff_tenant_booking_maintenance;
GRANT SELECT (id, tenant_id, reservation_id, finalized_at), DELETE ON bff_tenant_booking.booking_draft_snapshots TO bff_tenant_booking_maintenance;
GRANT SELECT (tenant_id, reservation_id, session_id, told_at), DELETE ON bff_tenant_booking.confirmation_views TO bff_tenant_booking_maintenance;
GRANT SELECT (tenant_id, reservation_id, stay_end), DELETE ON bff_tenant_booking.booking_owners TO bff_tenant_booking_maintenance;

-- What is to be told, in the order of each key.
CREATE TABLE IF NOT EXISTS bff_tenant_booking.outbox (
    seq             bigint      GENERATED ALWAYS AS IDENTITY, -- the order within a key
    id              uuid        PRIMARY KEY,                  -- the bits of event_id, so one unique index serves both
    event_id        text        NOT NULL,
    tenant_id       uuid        NOT NULL,
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
CREATE INDEX IF NOT EXISTS outbox_unpublished ON bff_tenant_booking.outbox (lane, seq) WHERE published_at IS NULL AND parked_reason IS NULL;
CREATE INDEX IF NOT EXISTS outbox_failing ON bff_tenant_booking.outbox (ordering_key, next_attempt_at)
    WHERE next_attempt_at IS NOT NULL AND published_at IS NULL AND parked_reason IS NULL;
CREATE INDEX IF NOT EXISTS outbox_parked ON bff_tenant_booking.outbox (seq) WHERE parked_reason IS NOT NULL;
CREATE INDEX IF NOT EXISTS outbox_published ON bff_tenant_booking.outbox (ordering_key) WHERE published_at IS NOT NULL; -- for an erasure

-- Whoever holds a lane publishes its rows. Leases go by clock_timestamp(), for they are about processes. Neither column
-- is indexed and half of each page is free: taking and releasing a lane are heap-only updates.
CREATE TABLE IF NOT EXISTS bff_tenant_booking.outbox_lanes (
    lane         smallint    PRIMARY KEY CHECK (lane BETWEEN 0 AND 63),
    holder       uuid,
    leased_until timestamptz NOT NULL DEFAULT '-infinity'
) WITH (fillfactor = 50);
INSERT INTO bff_tenant_booking.outbox_lanes (lane) SELECT generate_series(0, 63) ON CONFLICT DO NOTHING;

GRANT SELECT, INSERT, UPDATE (published_at, attempts, next_attempt_at, last_error, parked_reason) ON bff_tenant_booking.outbox TO bff_tenant_booking_app;
GRANT SELECT, UPDATE (holder, leased_until) ON bff_tenant_booking.outbox_lanes TO bff_tenant_booking_app;
GRANT SELECT, DELETE ON bff_tenant_booking.outbox TO bff_tenant_booking_maintenance;

-- Which events have had their effect.
CREATE TABLE IF NOT EXISTS bff_tenant_booking.inbox_processed (
    event_id     uuid        NOT NULL,
    processor    text        NOT NULL,   -- the function
    subject      text        NOT NULL,
    processed_at timestamptz NOT NULL DEFAULT platform.now(),
    PRIMARY KEY (event_id, processor)
);
CREATE INDEX IF NOT EXISTS inbox_processed_age ON bff_tenant_booking.inbox_processed USING brin (processed_at); -- for the prune

GRANT SELECT, INSERT ON bff_tenant_booking.inbox_processed TO bff_tenant_booking_app;
GRANT SELECT, DELETE ON bff_tenant_booking.inbox_processed TO bff_tenant_booking_maintenance;

-- What an idempotent route answered, so that the same key gets the same answer again.
CREATE TABLE IF NOT EXISTS bff_tenant_booking.idempotency (
    key          text        COLLATE "C" PRIMARY KEY, -- function and SHA-256 of tenant, caller, route and the client's key
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
) WITH (fillfactor = 80); -- an answer fits on the page of its claim
CREATE INDEX IF NOT EXISTS idempotency_expires_at ON bff_tenant_booking.idempotency (expires_at);
CREATE INDEX IF NOT EXISTS ix_idempotency_tenant_expires ON bff_tenant_booking.idempotency (tenant_id, expires_at);

GRANT SELECT, INSERT, UPDATE ON bff_tenant_booking.idempotency TO bff_tenant_booking_app;
GRANT SELECT, DELETE ON bff_tenant_booking.idempotency TO bff_tenant_booking_maintenance;

-- The job database reports the backlog, and lists payments without an outcome with the ids that other services know. Its login may assume
-- pg_monitor, which may read these columns and no others.
GRANT USAGE ON SCHEMA bff_tenant_booking TO pg_monitor;
GRANT SELECT (lane, enqueued_at, published_at, next_attempt_at, parked_reason) ON bff_tenant_booking.outbox TO pg_monitor;
GRANT SELECT (processed_at) ON bff_tenant_booking.inbox_processed TO pg_monitor;
GRANT SELECT (tenant_id, draft_id, reservation_id, state, created_at, expires_at, ended_at) ON bff_tenant_booking.booking_drafts TO pg_monitor;
DROP POLICY IF EXISTS monitor ON bff_tenant_booking.booking_drafts;
CREATE POLICY monitor ON bff_tenant_booking.booking_drafts FOR SELECT TO pg_monitor USING (true);
