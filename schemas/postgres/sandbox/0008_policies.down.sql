ALTER TABLE sandbox.rate_plans
    DROP COLUMN IF EXISTS penalty_nights,
    DROP COLUMN IF EXISTS no_show_percent,
    DROP COLUMN IF EXISTS no_show_nights;
