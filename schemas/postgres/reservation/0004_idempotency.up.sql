-- An answer finds room on the page of its claim, and keys are compared byte by byte. Re-runnable.

ALTER TABLE reservation.idempotency SET (fillfactor = 80);
ALTER TABLE reservation.idempotency ALTER COLUMN key TYPE text COLLATE "C";
