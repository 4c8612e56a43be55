-- What a call was answered finds room on the page of its claim, and one check is asked where two were. Re-runnable.

ALTER TABLE reservation.idempotency SET (fillfactor = 80);

ALTER TABLE reservation.idempotency
    DROP CONSTRAINT IF EXISTS idempotency_check,
    DROP CONSTRAINT IF EXISTS idempotency_check1,
    DROP CONSTRAINT IF EXISTS idempotency_whole,
    ADD CONSTRAINT idempotency_whole CHECK (num_nulls(status_code, headers, response) IN (0, 3));
