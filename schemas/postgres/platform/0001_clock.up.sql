-- The one clock of SQL. What is decided by time asks platform.now(), never now(): a local run and a test can
-- move it (movable.sql), and it goes on while a transaction waits for a lock. STABLE lets an index be used.
CREATE SCHEMA IF NOT EXISTS platform;

CREATE OR REPLACE FUNCTION platform.now() RETURNS timestamptz
LANGUAGE plpgsql STABLE PARALLEL SAFE
AS $$ BEGIN RETURN pg_catalog.clock_timestamp(); END $$;

GRANT USAGE ON SCHEMA platform TO PUBLIC;
