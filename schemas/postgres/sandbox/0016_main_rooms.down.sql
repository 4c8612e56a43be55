DROP INDEX IF EXISTS sandbox.ix_tenants_inactive;
ALTER TABLE sandbox.listings
    DROP COLUMN IF EXISTS main_version,
    DROP COLUMN IF EXISTS main_room_type,
    DROP COLUMN IF EXISTS main_occupancy,
    DROP COLUMN IF EXISTS main_units,
    DROP COLUMN IF EXISTS main_open_from,
    DROP COLUMN IF EXISTS main_open_until;
