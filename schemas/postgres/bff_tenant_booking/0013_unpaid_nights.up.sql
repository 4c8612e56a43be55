-- The reservation service counts unpaid room nights, so drafts no longer do. Re-runnable.
ALTER TABLE bff_tenant_booking.booking_drafts DROP COLUMN IF EXISTS room_nights, DROP COLUMN IF EXISTS held_until, DROP COLUMN IF EXISTS address_hash;
