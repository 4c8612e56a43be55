package sabotage

var tenantIsolation = guarantee{name: "tenant isolation", mutations: []mutation{
	{
		name: "the owner of the tables bypasses row-level security", file: "schemas/postgres/reservation/0001_init.up.sql",
		from: "ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY", to: "ENABLE ROW LEVEL SECURITY",
		pkg: "shared/platform/postgres/migrate", test: "TestCatalogue_rules",
	}, {
		name: "a connection keeps the tenant of the previous call", file: "shared/platform/postgres/tx.go",
		from: "set_config('app.tenant_id', $2, true)",
		to:   "set_config('app.tenant_id', CASE $2 WHEN '' THEN current_setting('app.tenant_id') ELSE $2 END, false)",
		pkg:  "shared/platform/postgres", test: "TestIsolation_reusedConnections",
	}, {
		name: "settings of a call remain on its connection", file: "shared/platform/postgres/tx.go",
		from: "if !t.sent {", to: "if !t.sent && t.tenant != \"\" {",
		pkg: "shared/platform/postgres", test: "TestIsolation_reusedConnections",
	}, {
		name: "statements continue without a transaction if BEGIN fails", file: "shared/platform/postgres/tx.go",
		from: "if t.sent && t.conn.Conn().PgConn().TxStatus() == idle {", to: "if false {",
		pkg: "shared/platform/postgres", test: "TestTrips_failureLeavesNothing",
	}, {
		name: "errors of queued statements are ignored", file: "shared/platform/postgres/tx.go",
		from: "t.broken = err // queued statements counted as executed, so the transaction cannot continue", to: "_ = err",
		pkg: "shared/platform/postgres", test: "TestTrips_failureLeavesNothing",
	}, {
		name: "staff of another hotel are admitted", file: "functions/reservation/middleware.go",
		from: "if who.Tenant == nil || *who.Tenant != tenant {", to: "if who.Tenant == nil {",
		pkg: "functions/reservation", test: "TestMiddleware_principal",
	}, {
		name: "a handoff for another hotel is accepted", file: "shared/handoff/keys.go",
		from: "if err == nil && h.Tenant != tenant {", to: "if err == nil && h.Tenant.IsZero() {",
		pkg: "functions/tenantbooking", test: "TestVerify_otherTenant",
	},
}}
