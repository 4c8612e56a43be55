-- Requests of guests to erase the data of their sessions, and a receipt for each erasure. Re-runnable.

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

GRANT SELECT, INSERT ON bff_consumer.erasure_requests TO bff_consumer_app;
GRANT SELECT, DELETE, UPDATE (deleted) ON bff_consumer.erasure_requests TO bff_consumer_maintenance;
GRANT SELECT, INSERT, DELETE ON bff_consumer.erasure_receipts TO bff_consumer_maintenance;

-- The job finds the rows of a session in every table.
GRANT SELECT (guest_session_id) ON bff_consumer.wishlist, bff_consumer.page_views, bff_consumer.funnel_events, bff_consumer.handoff_ledger,
    bff_consumer.bot_scores TO bff_consumer_maintenance;
GRANT SELECT (verdict) ON bff_consumer.bot_scores TO bff_consumer_maintenance;
GRANT DELETE ON bff_consumer.wishlist TO bff_consumer_maintenance;
