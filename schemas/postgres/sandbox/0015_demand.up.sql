-- What the search service tells travellers about the demand for a hotel: recent bookings and views. The previous version of the code
-- uses neither table. Re-runnable.

-- Reservations by hotel. The events of one reservation arrive in any order: a cancellation may come first.
CREATE TABLE IF NOT EXISTS sandbox.recent_bookings (
    reservation_id uuid PRIMARY KEY,
    tenant_id      uuid NOT NULL,
    property_id    uuid NOT NULL,
    confirmed_at   timestamptz,
    cancelled_at   timestamptz,
    CHECK (num_nonnulls(confirmed_at, cancelled_at) > 0)
);

CREATE INDEX IF NOT EXISTS ix_recent_bookings_property ON sandbox.recent_bookings (property_id, confirmed_at);

-- The last view of a hotel by each session. The hash is of the hotel and the session, so it does not link views of two hotels.
CREATE TABLE IF NOT EXISTS sandbox.recent_views (
    property_id  uuid NOT NULL, -- clicks on unknown hotels are dropped before
    session_hash bytea NOT NULL CHECK (length(session_hash) = 32),
    seen_at      timestamptz NOT NULL,
    PRIMARY KEY (property_id, session_hash)
);

CREATE INDEX IF NOT EXISTS ix_recent_views_seen ON sandbox.recent_views (seen_at);

ALTER TABLE sandbox.recent_bookings ENABLE ROW LEVEL SECURITY;
ALTER TABLE sandbox.recent_bookings FORCE ROW LEVEL SECURITY;
DROP POLICY IF EXISTS of_tenant ON sandbox.recent_bookings;
CREATE POLICY of_tenant ON sandbox.recent_bookings TO sandbox_app
    USING (tenant_id = NULLIF(current_setting('app.tenant_id', true), '')::uuid)
    WITH CHECK (tenant_id = NULLIF(current_setting('app.tenant_id', true), '')::uuid);
-- The maintenance role counts the bookings of any hotel and deletes old rows.
DROP POLICY IF EXISTS of_any_tenant ON sandbox.recent_bookings;
CREATE POLICY of_any_tenant ON sandbox.recent_bookings FOR SELECT TO sandbox_maintenance USING (true);
DROP POLICY IF EXISTS prune_removes ON sandbox.recent_bookings;
CREATE POLICY prune_removes ON sandbox.recent_bookings FOR DELETE TO sandbox_maintenance USING (true);

GRANT SELECT, INSERT, UPDATE ON sandbox.recent_bookings, sandbox.recent_views TO sandbox_app;
GRANT SELECT, DELETE ON sandbox.recent_bookings, sandbox.recent_views TO sandbox_maintenance;
