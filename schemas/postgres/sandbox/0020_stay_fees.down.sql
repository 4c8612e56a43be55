-- The previous version of the code charges each fee per night.
ALTER TABLE sandbox.charges
    DROP CONSTRAINT IF EXISTS charges_per_of_fees,
    DROP COLUMN IF EXISTS per;
