package migrate_test

import (
	"testing"

	"github.com/jackc/pgx/v5"

	"melmastoon.ghasi.io/shared/testkit/check"
	"melmastoon.ghasi.io/shared/testkit/pgtest"
)

// Each query finds violations of a rule for the whole database.
var rules = []struct{ name, breach, query string }{
	{
		"tables of tenants are isolated",
		`CREATE TABLE platform.guests (tenant_id uuid); ALTER TABLE platform.guests ENABLE ROW LEVEL SECURITY`,
		// What relays and replays work through belongs to the service: its key or its worker knows the tenant. In bff_consumer
		// no row belongs to a hotel: a tenant_id there only names one that a traveller of all hotels has looked at.
		`SELECT c.oid::regclass::text || ': ' || CASE
			WHEN NOT c.relrowsecurity THEN 'row-level security is not enabled'
			WHEN NOT c.relforcerowsecurity THEN 'row-level security is not forced on the owner'
			ELSE 'no policy of the application checks both what is seen and what is written' END
		FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
		JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'tenant_id' AND NOT a.attisdropped
		WHERE c.relkind IN ('r', 'p') AND n.nspname = ANY(@schemas) AND n.nspname <> 'bff_consumer'
			AND c.relname NOT IN ('outbox', 'idempotency') AND c.relname NOT LIKE 'inbox%'
			AND NOT (c.relrowsecurity AND c.relforcerowsecurity AND EXISTS (
				SELECT FROM pg_policies p WHERE p.schemaname = n.nspname AND p.tablename = c.relname
					AND p.qual LIKE '%app.tenant_id%' AND p.with_check LIKE '%app.tenant_id%'))`,
	},
	{
		"no policy fails where no tenant is set",
		`CREATE TABLE platform.guests (tenant_id uuid);
		 CREATE POLICY bad ON platform.guests USING (tenant_id = current_setting('app.tenant_id')::uuid)`,
		`SELECT schemaname || '.' || tablename || ' ' || policyname FROM pg_policies
		WHERE qual || coalesce(with_check, '') LIKE '%app.tenant_id%'
			AND qual || coalesce(with_check, '') NOT LIKE '%NULLIF(current_setting(''app.tenant_id''::text, true), ''''::text)%'`,
	},
	{
		"only maintenance sees past the tenants, to read or delete, and the monitor to read",
		`CREATE TABLE platform.guests (tenant_id uuid); CREATE POLICY bad ON platform.guests USING (true)`,
		`SELECT schemaname || '.' || tablename || ' ' || policyname || ' ' || roles::text || ' ' || cmd FROM pg_policies
		WHERE coalesce(qual, with_check) NOT LIKE '%app.tenant_id%'
			AND NOT (roles[1] LIKE '%\_maintenance' AND cardinality(roles) = 1 AND cmd IN ('SELECT', 'DELETE'))
			AND NOT (roles = '{pg_monitor}' AND cmd = 'SELECT')`,
	},
	{
		"the monitor reads times, counts, states and the ids of bookings only",
		`GRANT SELECT (slug) ON sandbox.tenants TO pg_monitor`,
		`SELECT a.attrelid::regclass || '.' || a.attname || ' ' || p.privilege_type
		FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid, aclexplode(a.attacl) p
		WHERE p.grantee = 'pg_monitor'::regrole AND c.relnamespace::regnamespace::text = ANY(@schemas)
			AND NOT (p.privilege_type = 'SELECT' AND (a.atttypid IN ('timestamptz'::regtype, 'int2'::regtype, 'int4'::regtype)
				OR a.attname IN ('status', 'state', 'pending_step', 'parked_reason')
				OR a.attname IN ('tenant_id', 'property_id', 'reservation_id', 'draft_id')
					AND a.attrelid IN ('reservation.reservations'::regclass, 'bff_tenant_booking.booking_drafts'::regclass)))
		UNION ALL SELECT c.oid::regclass || ' ' || p.privilege_type FROM pg_class c, aclexplode(c.relacl) p
		WHERE p.grantee = 'pg_monitor'::regrole AND c.relnamespace::regnamespace::text = ANY(@schemas)`,
	},
	{
		"no role of a function owns anything",
		`ALTER TABLE platform.clock OWNER TO melmastoon`,
		`SELECT c.oid::regclass || ' belongs to ' || r.rolname FROM pg_class c JOIN pg_roles r ON r.oid = c.relowner
		WHERE r.rolname = 'melmastoon' OR r.rolname ~ '_(app|maintenance)$'
		UNION ALL SELECT p.oid::regprocedure || ' belongs to ' || r.rolname FROM pg_proc p JOIN pg_roles r ON r.oid = p.proowner
		WHERE r.rolname = 'melmastoon' OR r.rolname ~ '_(app|maintenance)$'
		UNION ALL SELECT n.nspname || ' belongs to ' || r.rolname FROM pg_namespace n JOIN pg_roles r ON r.oid = n.nspowner
		WHERE r.rolname = 'melmastoon' OR r.rolname ~ '_(app|maintenance)$'`,
	},
	{
		"no role of a function can make, alter or empty a table",
		`GRANT CREATE ON SCHEMA platform TO melmastoon`,
		`SELECT r.rolname || ' may create in ' || n.nspname FROM pg_roles r, pg_namespace n
		WHERE (r.rolname = 'melmastoon' OR r.rolname ~ '_(app|maintenance)$') AND n.nspname NOT LIKE 'pg\_%'
			AND has_schema_privilege(r.oid, n.oid, 'CREATE')
		UNION ALL SELECT r.rolname || ' may create schemas or temporary tables' FROM pg_roles r
		WHERE (r.rolname = 'melmastoon' OR r.rolname ~ '_(app|maintenance)$')
			AND (has_database_privilege(r.oid, current_database(), 'CREATE') OR has_database_privilege(r.oid, current_database(), 'TEMP'))
		UNION ALL SELECT r.rolname || ' may do more than rows to ' || c.oid::regclass FROM pg_roles r, pg_class c
		WHERE r.rolname ~ '_(app|maintenance)$' AND c.relkind IN ('r', 'p') AND c.relnamespace::regnamespace::text = ANY(@schemas)
			AND has_table_privilege(r.oid, c.oid, 'TRUNCATE, REFERENCES, TRIGGER')`,
	},
	{
		"a role sees its own service's tables only",
		`GRANT SELECT ON platform.schema_migrations TO melmastoon`,
		`SELECT r.rolname || ' reaches ' || c.oid::regclass FROM pg_roles r, pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
		WHERE (r.rolname = 'melmastoon' OR r.rolname ~ '_(app|maintenance)$') AND c.relkind IN ('r', 'p', 'v') AND n.nspname = ANY(@schemas)
			AND c.oid <> to_regclass('platform.clock') AND r.rolname NOT IN (n.nspname || '_app', n.nspname || '_maintenance')
			AND has_table_privilege(r.oid, c.oid, 'SELECT, INSERT, UPDATE, DELETE')`,
	},
	{
		// A connection that has run nothing but plain statements is used again as it is (shared/platform/postgres): they must not set
		// anything by way of a function either.
		"no function sets what outlasts it",
		`CREATE FUNCTION platform.careless() RETURNS text LANGUAGE sql AS $$ SELECT set_config('app.tenant_id', '', false) $$`,
		`SELECT p.oid::regprocedure::text FROM pg_proc p
		WHERE p.pronamespace::regnamespace::text = ANY(@schemas)
			AND p.prosrc ~* '\mset_config\M|\mset\s+(session|local|role)\M|\mreset\M'`,
	},
	{
		"no role of a function has a power of the server",
		``, // roles belong to the whole server: breaking this would break concurrent tests
		`SELECT rolname FROM pg_roles WHERE (rolname = 'melmastoon' OR rolname ~ '_(app|maintenance)$')
			AND (rolsuper OR rolbypassrls OR rolcreaterole OR rolcreatedb OR rolreplication OR rolcanlogin AND rolinherit)`,
	},
}

func TestCatalogue_rules(t *testing.T) {
	t.Parallel()
	conn := pgtest.New(t).Owner(t)
	for _, rule := range rules {
		t.Run(rule.name, func(t *testing.T) {
			for _, breach := range breaches(t, conn, rule.query) {
				t.Error(breach)
			}
		})
	}
}

// Each rule is broken once, in a transaction that is rolled back: the check must see it.
func TestCatalogue_findsBreaches(t *testing.T) {
	t.Parallel()
	conn := pgtest.New(t).Owner(t)
	for _, rule := range rules {
		if rule.breach == "" {
			continue
		}
		t.Run(rule.name, func(t *testing.T) {
			before := len(breaches(t, conn, rule.query))
			_, err := conn.Exec(t.Context(), `BEGIN`)
			check.Must(t, err)
			_, err = conn.PgConn().Exec(t.Context(), rule.breach).ReadAll()
			check.Must(t, err)
			if len(breaches(t, conn, rule.query)) == before {
				t.Errorf("it does not see: %s", rule.breach)
			}
			_, err = conn.Exec(t.Context(), `ROLLBACK`)
			check.Must(t, err)
		})
	}
}

func breaches(t *testing.T, conn *pgx.Conn, query string) []string {
	t.Helper()
	args := pgx.NamedArgs{"schemas": services(t)} // not every rule asks for them
	rows, _ := conn.Query(t.Context(), query, args)
	return check.Got(pgx.CollectRows(rows, pgx.RowTo[string])).Must(t)
}
