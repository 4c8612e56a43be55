-- geo cells: the H3 cell of each listing, from which maps are clustered. Re-runnable.
ALTER TABLE sandbox.listings
    ADD COLUMN IF NOT EXISTS geo_cell bigint; -- at resolution 10; NULL if the hotel has not been indexed since this migration

-- The parent of a cell at a coarser resolution: bits 52 to 55 are the resolution, and each digit after it is 7.
CREATE OR REPLACE FUNCTION sandbox.h3_parent(cell bigint, resolution int) RETURNS bigint
LANGUAGE sql IMMUTABLE PARALLEL SAFE
AS $$
    SELECT (cell & ~(15::bigint << 52)) | (resolution::bigint << 52) | ((1::bigint << (3 * (15 - resolution))) - 1)
$$;
