-- bff_consumer: travellers who look for a hotel, and their way into a hotel's own site. Re-runnable.
--
-- Nothing here is under row-level security: no row belongs to a hotel. A tenant_id is only what a traveller looked at; it
-- opens nothing, and every query of a traveller's rows names the session instead.

CREATE SCHEMA IF NOT EXISTS bff_consumer;

-- Roles belong to the whole cluster, so another database may just be making them too.
DO $$
DECLARE
    wanted text;
BEGIN
    FOREACH wanted IN ARRAY ARRAY['bff_consumer_app', 'bff_consumer_maintenance'] LOOP
        IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = wanted) THEN
            BEGIN
                EXECUTE format('CREATE ROLE %I NOLOGIN', wanted);
            EXCEPTION WHEN duplicate_object OR unique_violation THEN
                NULL;
            END;
        END IF;
    END LOOP;
END $$;

GRANT USAGE ON SCHEMA bff_consumer TO bff_consumer_app, bff_consumer_maintenance;

-- Which sessions live, and what their guests chose and agreed to. What they looked at is in hot documents only.
CREATE TABLE IF NOT EXISTS bff_consumer.guest_sessions (
    guest_session_id  uuid        PRIMARY KEY,
    version           bigint      NOT NULL CHECK (version > 0), -- of what was chosen
    created_at        timestamptz NOT NULL,
    last_seen_at      timestamptz NOT NULL,                     -- to the hour
    locale            text        NOT NULL,
    locale_by         text        NOT NULL CHECK (locale_by IN ('user-explicit', 'accept-language', 'geo-ip')),
    currency          text        NOT NULL,
    currency_by       text        NOT NULL CHECK (currency_by IN ('user-explicit', 'tenant-default', 'geo-ip')),
    fingerprint_hash  text        NOT NULL CHECK (fingerprint_hash ~ '^sha256:[0-9a-f]{64}$'),
    ip_hash           text        CHECK (ip_hash ~ '^sha256:[0-9a-f]{64}$'),
    campaign          jsonb,
    campaign_at       timestamptz,
    consent_telemetry boolean     NOT NULL,
    consent_marketing boolean     NOT NULL,
    ended_at          timestamptz,                              -- a session that was cleared has no row
    end_reason        text        CHECK (end_reason IN ('ttl-expired', 'rotated')),
    rotated_to        uuid,
    CHECK ((campaign IS NULL) = (campaign_at IS NULL)),
    CHECK ((ended_at IS NULL) = (end_reason IS NULL)),
    CHECK ((end_reason IS NOT DISTINCT FROM 'rotated') = (rotated_to IS NOT NULL))
);
-- The sweep goes through the due sessions in one order, also where many are due at the same moment.
CREATE INDEX IF NOT EXISTS guest_sessions_due_in_order ON bff_consumer.guest_sessions (last_seen_at, guest_session_id) WHERE ended_at IS NULL;
CREATE INDEX IF NOT EXISTS guest_sessions_line ON bff_consumer.guest_sessions (rotated_to) WHERE rotated_to IS NOT NULL;
CREATE INDEX IF NOT EXISTS guest_sessions_age ON bff_consumer.guest_sessions (ended_at) WHERE ended_at IS NOT NULL; -- for the prune

-- What belongs to a session goes with its row.
CREATE TABLE IF NOT EXISTS bff_consumer.wishlist (
    wishlist_id      uuid        PRIMARY KEY,
    guest_session_id uuid        NOT NULL REFERENCES bff_consumer.guest_sessions ON DELETE CASCADE,
    property_id      uuid        NOT NULL,
    tenant_id        uuid        NOT NULL,
    added_at         timestamptz NOT NULL,
    source           text        NOT NULL CHECK (source IN ('detail', 'list', 'map', 'recently-viewed')),
    note             text        CHECK (char_length(note) <= 280), -- the guest's own words: they leave this table to nobody else
    UNIQUE (guest_session_id, property_id)
);

-- Evidence, kept for a year whatever becomes of the session, of which it names no more than the id: which handoffs were
-- minted, and what became of them.
CREATE TABLE IF NOT EXISTS bff_consumer.handoff_ledger (
    handoff_id        uuid        PRIMARY KEY,
    guest_session_id  uuid        NOT NULL,
    tenant_id         uuid        NOT NULL,
    tenant_slug       text        NOT NULL,
    property_id       uuid        NOT NULL,
    check_in          date        NOT NULL,
    check_out         date        NOT NULL,
    adults            int         NOT NULL CHECK (adults > 0),
    children          int         NOT NULL CHECK (children >= 0),
    rooms             int         NOT NULL CHECK (rooms > 0),
    currency          text        NOT NULL,
    locale            text        NOT NULL,
    campaign          jsonb,
    hmac_key_id       text        NOT NULL,
    minted_at         timestamptz NOT NULL,
    expires_at        timestamptz NOT NULL,
    consumed_at       timestamptz,
    consumed_by       text,
    consumed_event_id uuid,
    replays           int         NOT NULL DEFAULT 0 CHECK (replays >= 0),
    CHECK (check_in < check_out),
    CHECK (expires_at = minted_at + interval '30 minutes'),
    CHECK ((consumed_at IS NULL) = (consumed_event_id IS NULL))
);
CREATE INDEX IF NOT EXISTS handoff_ledger_age ON bff_consumer.handoff_ledger USING brin (minted_at); -- for the prune

-- Who was taken for a machine, and why. Nothing is ever changed.
CREATE TABLE IF NOT EXISTS bff_consumer.bot_scores (
    seq              bigint           GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    guest_session_id uuid,            -- NULL: met elsewhere, on a hotel's own site
    fingerprint_hash text             NOT NULL,
    ip_hash          text,
    score            double precision NOT NULL CHECK (score BETWEEN 0 AND 1),
    verdict          text             NOT NULL CHECK (verdict IN ('human', 'suspect', 'bot')),
    signals          jsonb            NOT NULL,
    evaluated_at     timestamptz      NOT NULL,
    caused_by        uuid             UNIQUE, -- the event that made us look, if one did
    user_agent_hash  text
);
CREATE INDEX IF NOT EXISTS bot_scores_age ON bff_consumer.bot_scores USING brin (evaluated_at); -- for the prune

-- Requests of guests to erase the data of their sessions, and a receipt for each erasure.
CREATE TABLE IF NOT EXISTS bff_consumer.erasure_requests (
    guest_session_id uuid        PRIMARY KEY,
    requested_at     timestamptz NOT NULL,
    due_at           timestamptz NOT NULL CHECK (due_at >= requested_at),
    deleted          jsonb       NOT NULL DEFAULT '{}' -- rows by place, of the steps that are done
);
CREATE INDEX IF NOT EXISTS erasure_requests_in_order ON bff_consumer.erasure_requests (requested_at, guest_session_id);

CREATE TABLE IF NOT EXISTS bff_consumer.erasure_receipts (
    guest_session_id uuid        PRIMARY KEY,
    requested_at     timestamptz NOT NULL,
    due_at           timestamptz NOT NULL,
    completed_at     timestamptz NOT NULL,
    deleted          jsonb       NOT NULL, -- rows by place
    retained         jsonb       NOT NULL, -- evidence: place, rows, until
    warehouse        text        NOT NULL  -- the dataset that was purged, or that none is configured
);
CREATE INDEX IF NOT EXISTS erasure_receipts_age ON bff_consumer.erasure_receipts USING brin (completed_at); -- for the prune

GRANT SELECT, INSERT, UPDATE, DELETE ON bff_consumer.guest_sessions, bff_consumer.wishlist TO bff_consumer_app;
GRANT SELECT, INSERT ON bff_consumer.bot_scores TO bff_consumer_app;
GRANT SELECT, INSERT, UPDATE (consumed_at, consumed_by, consumed_event_id, replays) ON bff_consumer.handoff_ledger TO bff_consumer_app;

GRANT SELECT, INSERT ON bff_consumer.erasure_requests TO bff_consumer_app;

-- The maintenance role lists and deletes sessions and old rows, and finds the rows of a session for an erasure. It does not read what
-- they say.
GRANT SELECT (guest_session_id, last_seen_at, ended_at) ON bff_consumer.guest_sessions TO bff_consumer_maintenance;
GRANT SELECT (guest_session_id) ON bff_consumer.wishlist TO bff_consumer_maintenance;
GRANT SELECT (handoff_id, guest_session_id, minted_at) ON bff_consumer.handoff_ledger TO bff_consumer_maintenance;
GRANT SELECT (seq, guest_session_id, verdict, evaluated_at) ON bff_consumer.bot_scores TO bff_consumer_maintenance;
GRANT DELETE ON bff_consumer.guest_sessions, bff_consumer.wishlist, bff_consumer.handoff_ledger, bff_consumer.bot_scores TO bff_consumer_maintenance;
GRANT SELECT, DELETE, UPDATE (deleted) ON bff_consumer.erasure_requests TO bff_consumer_maintenance;
GRANT SELECT, INSERT, DELETE ON bff_consumer.erasure_receipts TO bff_consumer_maintenance;

-- What is to be told, in the order of each key.
CREATE TABLE IF NOT EXISTS bff_consumer.outbox (
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
CREATE INDEX IF NOT EXISTS outbox_unpublished ON bff_consumer.outbox (lane, seq) WHERE published_at IS NULL AND parked_reason IS NULL;
CREATE INDEX IF NOT EXISTS outbox_failing ON bff_consumer.outbox (ordering_key, next_attempt_at)
    WHERE next_attempt_at IS NOT NULL AND published_at IS NULL AND parked_reason IS NULL;
CREATE INDEX IF NOT EXISTS outbox_parked ON bff_consumer.outbox (seq) WHERE parked_reason IS NOT NULL;
-- An erasure finds the published events of its keys without reading the whole outbox.
CREATE INDEX IF NOT EXISTS outbox_published ON bff_consumer.outbox (ordering_key) WHERE published_at IS NOT NULL;

-- Whoever holds a lane publishes its rows. Leases go by clock_timestamp(), for they are about processes. Neither column
-- is indexed and half of each page is free: taking and releasing a lane are heap-only updates.
CREATE TABLE IF NOT EXISTS bff_consumer.outbox_lanes (
    lane         smallint    PRIMARY KEY CHECK (lane BETWEEN 0 AND 63),
    holder       uuid,
    leased_until timestamptz NOT NULL DEFAULT '-infinity'
) WITH (fillfactor = 50);
INSERT INTO bff_consumer.outbox_lanes (lane) SELECT generate_series(0, 63) ON CONFLICT DO NOTHING;

GRANT SELECT, INSERT, UPDATE (published_at, attempts, next_attempt_at, last_error, parked_reason) ON bff_consumer.outbox TO bff_consumer_app;
GRANT SELECT, UPDATE (holder, leased_until) ON bff_consumer.outbox_lanes TO bff_consumer_app;
GRANT SELECT, DELETE ON bff_consumer.outbox TO bff_consumer_maintenance;

-- Which events have had their effect.
CREATE TABLE IF NOT EXISTS bff_consumer.inbox_processed (
    event_id     uuid        NOT NULL,
    processor    text        NOT NULL,   -- the function
    subject      text        NOT NULL,
    processed_at timestamptz NOT NULL DEFAULT platform.now(),
    PRIMARY KEY (event_id, processor)
);
CREATE INDEX IF NOT EXISTS inbox_processed_age ON bff_consumer.inbox_processed USING brin (processed_at); -- for the prune

GRANT SELECT, INSERT ON bff_consumer.inbox_processed TO bff_consumer_app;
GRANT SELECT, DELETE ON bff_consumer.inbox_processed TO bff_consumer_maintenance;

-- What an idempotent route answered, so that the same key gets the same answer again.
CREATE TABLE IF NOT EXISTS bff_consumer.idempotency (
    key          text COLLATE "C" PRIMARY KEY,       -- function, hash of tenant and caller, SHA-256 of both with route and the client's key
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
) WITH (fillfactor = 80); -- leaves space for the response on the page of its claim
CREATE INDEX IF NOT EXISTS idempotency_expires_at ON bff_consumer.idempotency (expires_at);

-- A guest who clears their session has the answers to it deleted with the rest: they are found by their owner.
CREATE INDEX IF NOT EXISTS idempotency_owner ON bff_consumer.idempotency (split_part(key, ':', 2));

GRANT SELECT, INSERT, UPDATE, DELETE ON bff_consumer.idempotency TO bff_consumer_app;
GRANT SELECT, DELETE ON bff_consumer.idempotency TO bff_consumer_maintenance;

-- The job database reports the backlog. Its login may assume pg_monitor, which may read these times, lanes and states, and no other
-- columns.
GRANT USAGE ON SCHEMA bff_consumer TO pg_monitor;
GRANT SELECT (lane, enqueued_at, published_at, next_attempt_at, parked_reason) ON bff_consumer.outbox TO pg_monitor;
GRANT SELECT (processed_at) ON bff_consumer.inbox_processed TO pg_monitor;
GRANT SELECT (last_seen_at, ended_at) ON bff_consumer.guest_sessions TO pg_monitor;
GRANT SELECT (due_at) ON bff_consumer.erasure_requests TO pg_monitor;
