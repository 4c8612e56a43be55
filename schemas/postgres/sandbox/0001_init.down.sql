-- The roles stay: they belong to the whole cluster.
DROP TABLE IF EXISTS sandbox.inbox_processed, sandbox.outbox_lanes, sandbox.outbox;
DROP TABLE IF EXISTS sandbox.refunds, sandbox.intents, sandbox.fx_snapshots, sandbox.promo_codes, sandbox.charges,
    sandbox.weekday_rates, sandbox.rate_plans, sandbox.room_types, sandbox.properties, sandbox.tenant_domains, sandbox.tenants;
