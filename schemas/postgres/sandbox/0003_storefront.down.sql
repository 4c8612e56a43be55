DROP TABLE IF EXISTS sandbox.policies, sandbox.room_texts, sandbox.theme_versions;
DROP POLICY IF EXISTS of_any_tenant ON sandbox.rate_plans;
REVOKE SELECT (tenant_id, rate_plan_id) ON sandbox.rate_plans FROM sandbox_maintenance;
REVOKE UPDATE (amount_micro) ON sandbox.weekday_rates FROM sandbox_app;
ALTER TABLE sandbox.rate_plans DROP COLUMN IF EXISTS version;
ALTER TABLE sandbox.tenants DROP COLUMN IF EXISTS version, DROP COLUMN IF EXISTS brand_tagline;
REVOKE UPDATE ON sandbox.tenants FROM sandbox_app;
