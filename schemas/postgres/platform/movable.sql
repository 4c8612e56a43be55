-- A clock that can be moved, for local runs and tests only: the migrations never read this file.
CREATE TABLE IF NOT EXISTS platform.clock (
    one       boolean  PRIMARY KEY DEFAULT true CHECK (one),
    offset_by interval NOT NULL DEFAULT '0'
);

INSERT INTO platform.clock DEFAULT VALUES ON CONFLICT DO NOTHING;

GRANT SELECT ON platform.clock TO PUBLIC;

CREATE OR REPLACE FUNCTION platform.now() RETURNS timestamptz
LANGUAGE plpgsql STABLE PARALLEL RESTRICTED
AS $$ BEGIN RETURN pg_catalog.clock_timestamp() + (SELECT c.offset_by FROM platform.clock c); END $$;
