ALTER TABLE bff_tenant_booking.idempotency ALTER COLUMN key TYPE text;
ALTER TABLE bff_tenant_booking.idempotency RESET (fillfactor);
