ALTER TABLE bff_tenant_booking.idempotency
    DROP CONSTRAINT IF EXISTS idempotency_whole,
    ADD CONSTRAINT idempotency_check CHECK ((status_code IS NULL) = (response IS NULL)),
    ADD CONSTRAINT idempotency_check1 CHECK ((status_code IS NULL) = (headers IS NULL));
ALTER TABLE bff_tenant_booking.idempotency RESET (fillfactor);
