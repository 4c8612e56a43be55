package migrate_test

import (
	"context"
	"crypto/rand"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"melmastoon.ghasi.io/shared/platform/postgres/migrate"
	"melmastoon.ghasi.io/shared/testkit/check"
	"melmastoon.ghasi.io/shared/testkit/pgtest"
)

// TestAdmit_login admits a login as Cloud SQL creates it. It has the rights of its service only after it has taken on a role.
func TestAdmit_login(t *testing.T) {
	t.Parallel()
	conn := pgtest.New(t).Owner(t)
	login := strings.ToLower(rand.Text()) + "@hotels.iam"
	who := pgx.Identifier{login}.Sanitize()
	run := func(statement string) {
		t.Helper()
		check.Got(conn.Exec(context.WithoutCancel(t.Context()), statement)).Must(t)
	}
	run(`CREATE ROLE ` + who + ` LOGIN INHERIT`)
	t.Cleanup(func() { run(`DROP OWNED BY ` + who); run(`DROP ROLE ` + who) })
	for range 2 {
		check.Must(t, migrate.Admit(t.Context(), conn, login, "reservation"))
	}
	for _, test := range []struct {
		role string
		want bool
	}{
		{login, false},
		{"reservation_app", true},
	} {
		t.Run(test.role, func(t *testing.T) {
			var may bool
			check.Must(t, conn.QueryRow(t.Context(), `SELECT has_table_privilege($1, 'reservation.quotes', 'SELECT, DELETE')`, test.role).Scan(&may))
			check.Equal(t, may, test.want, "%s reads or deletes quotes", test.role)
		})
	}
	run(`SET ROLE ` + who)
	run(`SET ROLE reservation_app`)
	run(`RESET ROLE`)
}
