-- main rooms: a listing has what the index knows of one of its room types, so that a map of thousands of hotels reads no other table
-- for most of them. Re-runnable.
ALTER TABLE sandbox.listings
    ADD COLUMN IF NOT EXISTS main_version    int NOT NULL DEFAULT 0, -- the listing's version with which these columns were stored; they count only with it
    ADD COLUMN IF NOT EXISTS main_room_type  uuid,
    ADD COLUMN IF NOT EXISTS main_occupancy  int,
    ADD COLUMN IF NOT EXISTS main_units      int,
    ADD COLUMN IF NOT EXISTS main_open_from  date,
    ADD COLUMN IF NOT EXISTS main_open_until date;

-- Search leaves out hotels of tenants that are not active. They are few.
CREATE INDEX IF NOT EXISTS ix_tenants_inactive ON sandbox.tenants (tenant_id) WHERE status <> 'active';
