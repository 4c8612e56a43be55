DROP FUNCTION IF EXISTS sandbox.h3_parent(bigint, int);
ALTER TABLE sandbox.listings DROP COLUMN IF EXISTS geo_cell;
