ALTER TABLE reservation.idempotency ALTER COLUMN key TYPE text;
ALTER TABLE reservation.idempotency RESET (fillfactor);
