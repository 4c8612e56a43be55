CREATE INDEX IF NOT EXISTS booking_drafts_due ON bff_tenant_booking.booking_drafts (expires_at);
DROP INDEX IF EXISTS bff_tenant_booking.booking_drafts_due_in_order;
