-- A penalty in nights, and what a no-show costs. NULL: what a late cancellation costs. Re-runnable.
ALTER TABLE sandbox.rate_plans
    ADD COLUMN IF NOT EXISTS penalty_nights  int NOT NULL DEFAULT 0 CHECK (penalty_nights >= 0),
    ADD COLUMN IF NOT EXISTS no_show_percent int CHECK (no_show_percent BETWEEN 0 AND 100),
    ADD COLUMN IF NOT EXISTS no_show_nights  int NOT NULL DEFAULT 0 CHECK (no_show_nights >= 0);

GRANT SELECT (penalty_nights, no_show_percent, no_show_nights) ON sandbox.rate_plans TO sandbox_maintenance;
