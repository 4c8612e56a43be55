ALTER TABLE bff_tenant_booking.booking_drafts
    ADD COLUMN IF NOT EXISTS room_nights  int NOT NULL DEFAULT 0,
    ADD COLUMN IF NOT EXISTS held_until   timestamptz,
    ADD COLUMN IF NOT EXISTS address_hash text;
CREATE INDEX IF NOT EXISTS booking_drafts_address ON bff_tenant_booking.booking_drafts (tenant_id, address_hash) WHERE address_hash IS NOT NULL;
