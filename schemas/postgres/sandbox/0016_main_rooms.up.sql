-- Main rooms: a listing has a copy of the index row of one of its room types, so that a map of thousands of hotels reads no room types,
-- rates or inventory for most of them. Re-runnable.
ALTER TABLE sandbox.listings
    ADD COLUMN IF NOT EXISTS main_version    int NOT NULL DEFAULT 0, -- listings.version when these columns were stored; else they are ignored
    ADD COLUMN IF NOT EXISTS main_room_type  uuid,
    ADD COLUMN IF NOT EXISTS main_occupancy  int,
    ADD COLUMN IF NOT EXISTS main_units      int,
    ADD COLUMN IF NOT EXISTS main_open_from  date,
    ADD COLUMN IF NOT EXISTS main_open_until date;

-- Search omits the hotels of tenants that are not active. These tenants are few.
CREATE INDEX IF NOT EXISTS ix_tenants_inactive ON sandbox.tenants (tenant_id) WHERE status <> 'active';
