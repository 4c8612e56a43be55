package postgres_test

import (
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"melmastoon.ghasi.io/shared/platform/postgres"
	"melmastoon.ghasi.io/shared/testkit/check"
	"melmastoon.ghasi.io/shared/testkit/pgtest"
)

func TestShouldPing(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	conn := check.Got(pgx.Connect(t.Context(), db.URL())).Must(t)
	ping := func(idle time.Duration) bool {
		return postgres.ShouldPing(t.Context(), pgxpool.ShouldPingParams{Conn: conn, IdleDuration: idle})
	}
	if ping(postgres.IdleTime / 2) {
		t.Error("a connection that is well is pinged: a round trip before each call")
	}
	if !ping(2 * postgres.IdleTime) {
		t.Error("a connection that the server may have ended is not pinged")
	}
	check.Got(db.Owner(t).Exec(t.Context(), `SELECT pg_terminate_backend($1, 10000)`, int32(conn.PgConn().PID()))).Must(t)
	if !ping(0) {
		t.Error("a connection that the server has ended is not pinged")
	}
}
