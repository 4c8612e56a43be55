package migrate_test

import (
	"context"
	"io/fs"
	"math"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	migrations "melmastoon.ghasi.io/schemas/postgres"
	"melmastoon.ghasi.io/shared/platform/postgres/migrate"
	"melmastoon.ghasi.io/shared/testkit/check"
	"melmastoon.ghasi.io/shared/testkit/pgtest"
)

func services(t *testing.T) []string {
	t.Helper()
	all, err := migrate.Services(migrations.Files)
	if err != nil || len(all) < 2 {
		t.Fatalf("found the services %v, %v", all, err)
	}
	return all
}

// inventory describes every object of a schema as PostgreSQL's catalogue knows it.
const inventory = `
SELECT format('column %s.%s %s null:%s default:%s', c.relname, a.attname, format_type(a.atttypid, a.atttypmod), NOT a.attnotnull,
       pg_get_expr(d.adbin, d.adrelid))
FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum
WHERE c.relnamespace = to_regnamespace(@schema) AND c.relkind IN ('r', 'p', 'v')
UNION ALL SELECT format('constraint %s %s', conrelid::regclass, pg_get_constraintdef(oid))
FROM pg_constraint WHERE connamespace = to_regnamespace(@schema)
UNION ALL SELECT format('index %s', indexdef) FROM pg_indexes WHERE schemaname = @schema
UNION ALL SELECT format('policy %s %s %s %s %s %s', tablename, policyname, roles, cmd, qual, with_check) FROM pg_policies WHERE schemaname = @schema
UNION ALL SELECT format('function %s %s', oid::regprocedure, md5(pg_get_functiondef(oid)))
FROM pg_proc WHERE pronamespace = to_regnamespace(@schema) AND prokind IN ('f', 'p')
UNION ALL SELECT format('trigger %s', pg_get_triggerdef(t.oid)) FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
WHERE c.relnamespace = to_regnamespace(@schema) AND NOT t.tgisinternal
UNION ALL SELECT format('rights %s %s rls:%s %s', relname, relkind, relrowsecurity AND relforcerowsecurity, relacl)
FROM pg_class WHERE relnamespace = to_regnamespace(@schema) AND relkind IN ('r', 'p', 'v', 'S')
UNION ALL SELECT format('rights %s', nspacl) FROM pg_namespace WHERE nspname = @schema
ORDER BY 1`

func take(t *testing.T, conn *pgx.Conn) []string {
	t.Helper()
	var all []string
	for _, s := range services(t) {
		rows, _ := conn.Query(t.Context(), inventory, pgx.StrictNamedArgs{"schema": s})
		lines := check.Got(pgx.CollectRows(rows, pgx.RowTo[string])).Must(t)
		for _, line := range lines {
			all = append(all, s+": "+line)
		}
	}
	return all
}

func upAll(ctx context.Context, t *testing.T, conn *pgx.Conn) {
	t.Helper()
	for _, s := range services(t) {
		check.Must(t, migrate.Up(ctx, conn, migrations.Files, s))
	}
}

// same fails with the lines that only one of two inventories has.
func same(t *testing.T, when string, got, want []string) {
	t.Helper()
	for _, line := range got {
		if !slices.Contains(want, line) {
			t.Errorf("%s there is more: %s", when, line)
		}
	}
	for _, line := range want {
		if !slices.Contains(got, line) {
			t.Errorf("%s there is missing: %s", when, line)
		}
	}
}

func TestServices_upDownUp(t *testing.T) {
	t.Parallel()
	conn := pgtest.Empty(t).Owner(t)
	upAll(t.Context(), t, conn)
	first := take(t, conn)
	if len(first) == 0 {
		t.Fatal("the inventory is empty: it cannot show a difference")
	}
	upAll(t.Context(), t, conn)
	same(t, "after a second run", take(t, conn), first)
	for _, s := range slices.Backward(services(t)) {
		check.Must(t, migrate.Down(t.Context(), conn, migrations.Files, s, math.MaxInt))
	}
	same(t, "after going down", take(t, conn), nil)
	upAll(t.Context(), t, conn)
	same(t, "after up, down and up", take(t, conn), first)
}

// A step may be run again by hand after the ledger was lost: each file says IF NOT EXISTS or replaces.
func TestServices_upTwice(t *testing.T) {
	t.Parallel()
	conn := pgtest.Empty(t).Owner(t)
	upAll(t.Context(), t, conn)
	first := take(t, conn)
	for _, s := range services(t) {
		ups := check.Got(fs.Glob(migrations.Files, path.Join(s, "*.up.sql"))).Must(t)
		for _, up := range ups {
			text := check.Got(fs.ReadFile(migrations.Files, up)).Must(t)
			if _, err := conn.PgConn().Exec(t.Context(), string(text)).ReadAll(); err != nil {
				t.Errorf("%s a second time: %v", up, err)
			}
		}
	}
	same(t, "after each file ran twice", take(t, conn), first)
}

func TestServices_downAfterUp(t *testing.T) {
	t.Parallel()
	for _, s := range services(t) {
		ups := check.Got(fs.Glob(migrations.Files, path.Join(s, "*.up.sql"))).Must(t)
		for _, up := range ups {
			down := strings.TrimSuffix(up, ".up.sql") + ".down.sql"
			if _, err := fs.Stat(migrations.Files, down); err != nil {
				t.Errorf("%s: %v", up, err)
			}
		}
	}
}
