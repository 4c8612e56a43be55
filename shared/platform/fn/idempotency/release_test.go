package idempotency_test

import (
	"context"
	"net/url"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"melmastoon.ghasi.io/shared/testkit/check"
)

// A claim whose call ends while the database is away is released when it is back, not at the end of the lease.
func TestRelease_databaseAway(t *testing.T) {
	t.Parallel()
	r, g := open(t), newPausedAct(t)
	r.answer = g.answer
	at := check.Got(url.Parse(r.db.OwnerURL())).Must(t)
	name := strings.TrimPrefix(at.Path, "/")
	at.Path = "/postgres"
	owner, err := pgx.Connect(t.Context(), at.String())
	check.Must(t, err)
	t.Cleanup(func() { _ = owner.Close(context.WithoutCancel(t.Context())) })
	admit := func(whether string) {
		t.Helper()
		check.Got(owner.Exec(t.Context(), `ALTER DATABASE `+pgx.Identifier{name}.Sanitize()+` ALLOW_CONNECTIONS `+whether)).Must(t)
	}
	first := make(chan int)
	go func() { first <- r.order("k-1", `{"rooms":1}`).Status }()
	g.wait(t)
	admit("false")
	_, err = owner.Exec(t.Context(), `SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE datname = $1`, name)
	check.Must(t, err)
	g.resume()
	check.Equal(t, <-first, 201, "status of the first call, whose act is done but not stored")
	if a := r.order("k-2", `{"rooms":1}`); a.Status < 500 {
		t.Errorf("without a database: got %d %s", a.Status, a.Body)
	}
	admit("true")
	r.order("k-1", `{"rooms":1}`).Want(t, 201)
	if ran := r.ran(); len(ran) != 2 || ran[0] != ran[1] {
		t.Errorf("acts %v, want one that ran twice", ran)
	}
}
