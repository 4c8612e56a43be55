-- document: hot documents of local runs, tests and tiny deployments, behind shared/platform/document/pg. Re-runnable.

CREATE SCHEMA IF NOT EXISTS document;

-- Roles belong to the whole cluster, so another database may just be making them too.
DO $$
DECLARE
    wanted text;
BEGIN
    FOREACH wanted IN ARRAY ARRAY['document_app', 'document_maintenance'] LOOP
        IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = wanted) THEN
            BEGIN
                EXECUTE format('CREATE ROLE %I NOLOGIN', wanted);
            EXCEPTION WHEN duplicate_object OR unique_violation THEN
                NULL;
            END;
        END IF;
    END LOOP;
END $$;

GRANT USAGE ON SCHEMA document TO document_app, document_maintenance;

-- Logged: an unlogged table is empty after a crash, and sessions and generations are nowhere else. No row-level
-- security: the key holds the tenant, and nobody can ask for anything but a key. A document ends by its own word;
-- the row stays until the prune. No index but the key, so that a change is a heap-only update: the prune reads the table
-- through, at its leisure.
CREATE TABLE IF NOT EXISTS document.documents (
    collection text        COLLATE "C" NOT NULL CHECK (collection <> ''),
    id         text        COLLATE "C" NOT NULL CHECK (id <> ''),
    value      bytea       NOT NULL,   -- empty: a counter
    number     bigint      NOT NULL,   -- of a counter
    version    bigint      NOT NULL,   -- only a greater one replaces it
    expires_at timestamptz NOT NULL,   -- from this moment on it does not exist, by the clock of whoever asks
    PRIMARY KEY (collection, id)
) WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.05);
ALTER TABLE document.documents ALTER COLUMN value SET STORAGE EXTERNAL; -- it is compressed already

GRANT SELECT, INSERT, UPDATE, DELETE ON document.documents TO document_app;
GRANT SELECT (collection, id, expires_at), DELETE ON document.documents TO document_maintenance;
