ALTER TABLE bff_consumer.idempotency ALTER COLUMN key TYPE text;
ALTER TABLE bff_consumer.idempotency RESET (fillfactor);
