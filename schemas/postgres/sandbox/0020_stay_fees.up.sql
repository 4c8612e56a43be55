-- pricing: a fee is charged per room and night, per room and stay (a final cleaning), or once per booking. The previous version of the
-- code inserts fees per night. Re-runnable.
ALTER TABLE sandbox.charges
    ADD COLUMN IF NOT EXISTS per text NOT NULL DEFAULT 'night' CHECK (per IN ('night', 'stay', 'booking')),
    DROP CONSTRAINT IF EXISTS charges_per_of_fees,
    ADD CONSTRAINT charges_per_of_fees CHECK (kind = 'fee' OR per = 'night'); -- a tax is a share of each night
