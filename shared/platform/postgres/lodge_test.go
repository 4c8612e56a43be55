package postgres_test

import (
	"context"
	"testing"

	"github.com/jackc/pgx/v5"

	migrations "melmastoon.ghasi.io/schemas/postgres"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/postgres"
	"melmastoon.ghasi.io/shared/platform/postgres/migrate"
	"melmastoon.ghasi.io/shared/testkit/check"
	"melmastoon.ghasi.io/shared/testkit/pgtest"
)

// lodge is a service of one table, isolated as every service's tables are.
const lodge = `
CREATE SCHEMA lodge;
DO $$ BEGIN CREATE ROLE lodge_app NOLOGIN;         EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; END $$;
DO $$ BEGIN CREATE ROLE lodge_maintenance NOLOGIN; EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; END $$;
GRANT USAGE ON SCHEMA lodge TO lodge_app, lodge_maintenance;
CREATE TABLE lodge.stays (
    stay_id   uuid PRIMARY KEY,
    tenant_id uuid NOT NULL,
    code      text,
    CONSTRAINT stays_code UNIQUE (code) DEFERRABLE INITIALLY DEFERRED,
    CONSTRAINT stays_short CHECK (length(code) < 9)
);
ALTER TABLE lodge.stays ENABLE ROW LEVEL SECURITY;
ALTER TABLE lodge.stays FORCE ROW LEVEL SECURITY;
CREATE POLICY tenants ON lodge.stays TO lodge_app
    USING (tenant_id = NULLIF(current_setting('app.tenant_id', true), '')::uuid)
    WITH CHECK (tenant_id = NULLIF(current_setting('app.tenant_id', true), '')::uuid);
CREATE POLICY listing ON lodge.stays FOR SELECT TO lodge_maintenance USING (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON lodge.stays TO lodge_app;
GRANT SELECT ON lodge.stays TO lodge_maintenance;
CREATE TABLE lodge.values (
    as_uuid uuid, as_text text, list uuid[], words text[], night date, nights date[], price bigint, at timestamptz
);
GRANT SELECT, INSERT ON lodge.values TO lodge_app;`

// newLodge makes the service's database, and its environment with these variables besides.
func newLodge(t testing.TB, vars map[string]string) (*pgtest.Database, env.Env) {
	t.Helper()
	d := pgtest.Empty(t)
	owner := d.Owner(t)
	check.Must(t, migrate.Up(t.Context(), owner, migrations.Files, "platform"))
	check.Got(owner.PgConn().Exec(t.Context(), lodge).ReadAll()).Must(t)
	check.Must(t, migrate.Admit(t.Context(), owner, pgtest.Login, "lodge"))
	e := d.Env()
	for key, value := range vars {
		e = e.With(key, value)
	}
	return d, e
}

func openLodge(t testing.TB, vars map[string]string) (*pgtest.Database, *postgres.DB) {
	t.Helper()
	d, e := newLodge(t, vars)
	return d, postgres.Open(e, "lodge")
}

// add writes a stay of the tenant, as that tenant.
func add(ctx context.Context, db *postgres.DB, tenant id.Tenant, stay id.Reservation) error {
	return db.InTenant(ctx, tenant, func(tx postgres.Tx) error { return insert(ctx, tx, tenant, stay) })
}

func insert(ctx context.Context, tx postgres.Tx, tenant id.Tenant, stay id.Reservation) error {
	_, err := tx.Exec(ctx, `INSERT INTO lodge.stays (stay_id, tenant_id) VALUES (@stay, @tenant)`,
		pgx.StrictNamedArgs{"stay": stay, "tenant": tenant})
	return err
}

// tenants returns the tenants whose stays the transaction sees.
func tenants(ctx context.Context, tx postgres.Tx) ([]id.Tenant, error) {
	rows, _ := tx.Query(ctx, `SELECT tenant_id FROM lodge.stays`)
	return pgx.CollectRows(rows, pgx.RowTo[id.Tenant])
}
