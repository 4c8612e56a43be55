package outbox_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"melmastoon.ghasi.io/shared/testkit/check"
	"melmastoon.ghasi.io/shared/testkit/pgtest"
)

// canonical are the tables of schemas/postgres/README.md, made in a schema of their own.
func canonical(t *testing.T, d *pgtest.Database, name string) {
	t.Helper()
	readme := check.Got(os.ReadFile(filepath.Join("..", "..", "..", "schemas", "postgres", "README.md"))).Must(t)
	script := []string{`
		DO $$ DECLARE r text; BEGIN
			FOREACH r IN ARRAY ARRAY['<schema>_app', '<schema>_maintenance'] LOOP
				BEGIN EXECUTE format('CREATE ROLE %I NOLOGIN', r); EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; END;
			END LOOP;
		END $$; CREATE SCHEMA <schema>`}
	blocks := strings.Split(string(readme), "```sql\n")[1:]
	for _, b := range blocks {
		sql, _, _ := strings.Cut(b, "```")
		script = append(script, sql)
	}
	if len(blocks) < 3 {
		t.Fatalf("the README has %d blocks of SQL", len(blocks))
	}
	for _, sql := range script {
		check.Got(d.Owner(t).PgConn().Exec(t.Context(), strings.ReplaceAll(sql, "<schema>", name)).ReadAll()).Must(t, "in %s", sql)
	}
}

// shape describes a schema's common tables: columns, indexes, constraints, storage and privileges.
func shape(t *testing.T, conn *pgx.Conn, name string) []string {
	t.Helper()
	rows, _ := conn.Query(t.Context(), `
		WITH tables AS (
			SELECT c.oid, c.relname, c.relacl, c.reloptions FROM pg_class c
			WHERE c.relnamespace = to_regnamespace($1) AND c.relname IN ('outbox', 'outbox_lanes', 'inbox_processed', 'idempotency'))
		SELECT relname || ' ' || line FROM tables t, LATERAL (
			SELECT a.attname || ' ' || format_type(a.atttypid, a.atttypmod) || ' ' || a.attcollation::regcollation::text || ' ' || a.attnotnull::text || ' ' || a.attidentity::text || a.attgenerated::text
				|| ' ' || coalesce(pg_get_expr(d.adbin, d.adrelid), '-') || ' ' || coalesce((SELECT string_agg(g::text, ' ' ORDER BY replace(g::text, $1, '<schema>')) FROM unnest(a.attacl) g), '-')
			FROM pg_attribute a LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
			WHERE a.attrelid = t.oid AND a.attnum > 0
			UNION ALL SELECT pg_get_indexdef(i.indexrelid) FROM pg_index i WHERE i.indrelid = t.oid
			UNION ALL SELECT conname || ' ' || pg_get_constraintdef(k.oid) FROM pg_constraint k WHERE k.conrelid = t.oid
			UNION ALL SELECT coalesce(t.reloptions::text, '-')
			UNION ALL SELECT g::text FROM unnest(t.relacl) g) lines (line)
		ORDER BY 1`, name)
	lines := check.Got(pgx.CollectRows(rows, pgx.RowTo[string])).Must(t)
	for i, line := range lines {
		lines[i] = strings.ReplaceAll(line, name, "<schema>")
	}
	return lines
}

// forgetful removes the additions of services that erase callers: an index by owner, and the right to delete. If only one of the
// two exists, it remains as a difference.
func forgetful(lines []string) []string {
	const index, may = "idempotency CREATE INDEX idempotency_owner ", "idempotency <schema>_app=arwd/"
	begins := func(with string) int {
		return slices.IndexFunc(lines, func(l string) bool { return strings.HasPrefix(l, with) })
	}
	grant, by := begins(may), begins(index)
	if grant < 0 || by < 0 {
		return lines
	}
	lines[grant] = strings.Replace(lines[grant], "=arwd/", "=arw/", 1)
	return slices.Delete(lines, by, by+1)
}

// ofTenants removes the additions of a service whose events all have a tenant: the tenant's
// column is not null, and an index finds a tenant's idempotency keys. If only one of the two exists, it remains as a difference.
func ofTenants(lines []string) []string {
	const (
		column = "outbox tenant_id uuid - true  - -"
		index  = "idempotency CREATE INDEX ix_idempotency_tenant_expires ON <schema>.idempotency USING btree (tenant_id, expires_at)"
	)
	required, by := slices.Index(lines, column), slices.Index(lines, index)
	if required < 0 || by < 0 {
		return lines
	}
	lines[required] = strings.Replace(column, "true", "false", 1)
	return slices.Delete(lines, by, by+1)
}

// Every service writes these tables in its own migration. They must not drift apart: shared code runs on all of them.
func TestSchema_sameTables(t *testing.T) {
	t.Parallel()
	d := pgtest.New(t)
	canonical(t, d, "canonical")
	conn := d.Owner(t)
	want := shape(t, conn, "canonical")
	rows, _ := conn.Query(t.Context(), `SELECT schemaname::text FROM pg_tables WHERE tablename = 'outbox' AND schemaname <> 'canonical'`)
	services, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil || len(services) < 2 {
		t.Fatalf("found the outboxes of %v, %v", services, err)
	}
	for _, service := range services {
		got := ofTenants(forgetful(shape(t, conn, service)))
		own := func(lines []string, table string) bool { // a service without idempotent routes has no idempotency
			return slices.ContainsFunc(lines, func(l string) bool { return strings.HasPrefix(l, table+" ") })
		}
		for _, line := range want {
			if table, _, _ := strings.Cut(line, " "); (table != "idempotency" || own(got, table)) && !slices.Contains(got, line) {
				t.Errorf("%s lacks %s", service, line)
			}
		}
		for _, line := range got {
			if !slices.Contains(want, line) {
				t.Errorf("%s has %s", service, line)
			}
		}
	}
}
