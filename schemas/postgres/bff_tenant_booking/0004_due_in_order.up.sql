-- The sweep goes through what is due in one order, also where much is due at the same moment. Re-runnable.
CREATE INDEX IF NOT EXISTS booking_drafts_due_in_order ON bff_tenant_booking.booking_drafts (expires_at, draft_id);
DROP INDEX IF EXISTS bff_tenant_booking.booking_drafts_due;
