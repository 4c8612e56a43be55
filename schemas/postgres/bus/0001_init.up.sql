-- bus: the message bus of local runs, tests and tiny deployments, behind shared/local/bus. Re-runnable.

CREATE SCHEMA IF NOT EXISTS bus;

-- Roles belong to the whole cluster, so another database may just be making them too.
DO $$
BEGIN
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'bus_app') THEN
        CREATE ROLE bus_app NOLOGIN;
    END IF;
EXCEPTION WHEN duplicate_object OR unique_violation THEN
    NULL;
END $$;

GRANT USAGE ON SCHEMA bus TO bus_app;

CREATE TABLE IF NOT EXISTS bus.messages (
    seq          bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY, -- in decimal, the message id
    topic        text        NOT NULL,
    ordering_key text        NOT NULL,
    attributes   jsonb       NOT NULL,
    data         bytea       NOT NULL,
    published_at timestamptz NOT NULL DEFAULT platform.now()
);
CREATE INDEX IF NOT EXISTS messages_age ON bus.messages USING brin (published_at);

CREATE TABLE IF NOT EXISTS bus.subscriptions (
    name         text     PRIMARY KEY,
    topic        text     NOT NULL,
    endpoint     text     NOT NULL,           -- empty: pushed nowhere, kept for whoever pulls
    audience     text     NOT NULL,
    dead_letter  text     NOT NULL,           -- empty: retried for ever
    filter       jsonb    NOT NULL,           -- contained in the attributes of what is delivered
    attempts     int      NOT NULL CHECK (dead_letter = '' OR attempts > 0),
    min_backoff  interval NOT NULL,
    max_backoff  interval NOT NULL,
    ack_deadline interval NOT NULL
);

-- What is still owed to a subscription: an acknowledged delivery is gone. The oldest of a key is the one to push.
CREATE TABLE IF NOT EXISTS bus.deliveries (
    subscription text        NOT NULL REFERENCES bus.subscriptions ON DELETE CASCADE,
    seq          bigint      NOT NULL,
    ordering_key text        NOT NULL,
    attempt      int         NOT NULL DEFAULT 0, -- pushes so far, the one in flight included
    due_at       timestamptz NOT NULL DEFAULT platform.now(), -- of what was pulled: when its lease is over
    pusher       uuid,                           -- who pushes it now, and one that is gone does not count; or the lease it was pulled under
    PRIMARY KEY (subscription, seq)
);
CREATE INDEX IF NOT EXISTS deliveries_order ON bus.deliveries (subscription, ordering_key, seq) WHERE ordering_key <> '';
CREATE INDEX IF NOT EXISTS deliveries_pushed ON bus.deliveries (subscription, pusher) WHERE pusher IS NOT NULL;

-- One process pushes at a time, so that one delivery per key is in flight. Its lease goes by clock_timestamp().
CREATE TABLE IF NOT EXISTS bus.pusher (
    one          boolean     PRIMARY KEY DEFAULT true CHECK (one),
    holder       uuid,
    leased_until timestamptz NOT NULL DEFAULT '-infinity'
);
INSERT INTO bus.pusher DEFAULT VALUES ON CONFLICT DO NOTHING;

GRANT SELECT, INSERT, DELETE ON bus.messages TO bus_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON bus.subscriptions, bus.deliveries TO bus_app;
GRANT SELECT, UPDATE (holder, leased_until) ON bus.pusher TO bus_app;
