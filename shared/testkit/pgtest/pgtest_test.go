package pgtest_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"melmastoon.ghasi.io/shared/platform/postgres"
	"melmastoon.ghasi.io/shared/testkit/check"
	"melmastoon.ghasi.io/shared/testkit/pgtest"
)

func TestAdvance_bothClocks(t *testing.T) {
	t.Parallel()
	d := pgtest.New(t)
	owner := d.Owner(t)
	read := func() (sql time.Time) {
		check.Must(t, owner.QueryRow(t.Context(), `SELECT platform.now()`).Scan(&sql))
		return sql
	}
	before := read()
	d.Advance(31 * time.Minute)
	after := read()
	moved := after.Sub(before)
	if moved < 31*time.Minute {
		t.Errorf("moved = %v, want at least %v", moved, 31*time.Minute)
	}
	if moved > 32*time.Minute {
		t.Errorf("moved = %v, want at most %v", moved, 32*time.Minute)
	}
	if apart := d.Env().Now().Sub(after).Abs(); apart > 30*time.Second {
		t.Errorf("Go and SQL are %v apart", apart)
	}
}

func TestNew_isolated(t *testing.T) {
	t.Parallel()
	one, other := pgtest.New(t), pgtest.New(t)
	check.Got(one.Owner(t).Exec(t.Context(), `CREATE TABLE platform.mine (n int)`)).Must(t)
	one.Advance(time.Hour)
	var seen bool
	var offset time.Duration
	check.Must(t, other.Owner(t).QueryRow(t.Context(),
		`SELECT to_regclass('platform.mine') IS NOT NULL, offset_by FROM platform.clock`).Scan(&seen, &offset))
	check.Equal(t, seen, false)
	check.Equal(t, offset, 0)
}

func TestLogin_noRights(t *testing.T) {
	t.Parallel()
	conn := check.Got(pgx.Connect(t.Context(), pgtest.New(t).URL())).Must(t)
	defer conn.Close(t.Context())
	for _, sql := range []string{
		`CREATE TABLE platform.mine (n int)`, `CREATE TEMPORARY TABLE mine (n int)`, `UPDATE platform.clock SET offset_by = '1h'`,
		`SELECT count(*) FROM platform.schema_migrations`, `SET ROLE postgres`,
	} {
		t.Run(sql, func(t *testing.T) { check.Got(conn.Exec(t.Context(), sql)).Fails(t, "not allowed: %s", sql) })
	}
}

// A listener stands for the test that uses a database. It keeps what pgtest reports to it.
type listener struct {
	testing.TB
	reports []string
	cleanup []func()
}

func (l *listener) Errorf(format string, args ...any) {
	l.reports = append(l.reports, fmt.Sprintf(format, args...))
}

func (l *listener) Error(args ...any) { l.reports = append(l.reports, fmt.Sprint(args...)) }

func (l *listener) Cleanup(f func()) { l.cleanup = append(l.cleanup, f) }

func (l *listener) end() {
	for _, f := range slices.Backward(l.cleanup) {
		f()
	}
}

func TestClose_invariants(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, sql, want string }{
		{"is silent when the books balance", `SELECT 1`, ""},
		{"tells of a broken invariant", `UPDATE platform.clock SET offset_by = '-1 hour'`, "one_clock.sql"},
		{"tells of an invariant that cannot be asked", `DROP TABLE platform.clock CASCADE`, "one_clock.sql"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			l := &listener{TB: t}
			d := pgtest.New(l)
			check.Got(d.Owner(t).Exec(t.Context(), test.sql)).Must(t)
			db := postgres.Open(d.Env(), "reservation")
			url := d.OwnerURL()
			l.end()
			got := strings.Join(l.reports, "\n")
			check.Contains(t, got, test.want)
			if test.want == "" && got != "" {
				t.Errorf("reported %q, want %q", got, test.want)
			}
			check.Fails(t, db.InTx(t.Context(), func(postgres.Tx) error { return nil }), "a transaction in the closed environment")
			if conn, err := pgx.Connect(t.Context(), url); err == nil {
				_ = conn.Close(t.Context())
				t.Error("its database is still there")
			}
		})
	}
}
