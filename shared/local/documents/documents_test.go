package documents_test

import (
	"context"
	"errors"
	"net"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	migrations "melmastoon.ghasi.io/schemas/postgres"
	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/local/cluster"
	"melmastoon.ghasi.io/shared/local/documents"
	"melmastoon.ghasi.io/shared/local/setup"
	"melmastoon.ghasi.io/shared/platform/document"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/testkit/documenttest"
	"melmastoon.ghasi.io/shared/testkit/pgtest"
)

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// another returns a store like that of another process on the database: both share only the stored documents.
func another(t testing.TB, url string) *documents.Store {
	e := env.Of(map[string]string{"DATABASE_URL": url})
	t.Cleanup(func() { must(t, e.Close(context.Background())) })
	return documents.Open(e)
}

// missingServer returns the URL of a server that does not exist.
func missingServer(t testing.TB) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	must(t, l.Close())
	return somebody(l.Addr().String())
}

func somebody(address string) string {
	return "postgres://somebody@" + address + "/nothing?sslmode=disable"
}

func TestPostgresConforms(t *testing.T) {
	t.Parallel()
	documenttest.Conform(t, func(t testing.TB) documenttest.Setup {
		d := pgtest.New(t)
		return documenttest.Setup{
			Open:        func() document.Store { return another(t, d.URL()) },
			Unreachable: func() document.Store { return another(t, missingServer(t)) },
			Silent:      func() document.Store { return another(t, somebody(documenttest.Listener(t))) },
		}
	})
}

func TestPostgres_documentsAfterCrash(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("needs a database")
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	config := cluster.Config{Dir: t.TempDir(), Durable: true}
	first := start(t, ctx, config)
	conn, err := pgx.Connect(ctx, first.URL("postgres"))
	must(t, err)
	must(t, setup.Database(ctx, conn, migrations.Files, pgtest.Login, first.Password()))
	must(t, conn.Close(ctx))
	now, name := time.Date(2031, 3, 21, 12, 0, 0, 0, time.UTC), document.Name{Collection: "sessions", ID: "1"}
	s := another(t, first.LoginURL(pgtest.Login, first.Password(), "postgres"))
	_, err = s.Create(ctx, now, name, document.Record{Value: []byte("kept"), ExpiresAt: now.Add(time.Hour)})
	must(t, err)
	must(t, first.Kill())
	if _, err := s.Get(ctx, now, name); !errors.Is(err, fault.ErrUnavailable) {
		t.Errorf("while it is down: got %v, want %v", err, fault.ErrUnavailable)
	}
	second := start(t, ctx, config)
	found, err := another(t, second.LoginURL(pgtest.Login, second.Password(), "postgres")).Get(ctx, now, name)
	switch {
	case err != nil:
		t.Errorf("afterwards: err = %v, want nil", err)
	case found[0] == nil:
		t.Errorf("afterwards: found[0] = nil, want a value")
	case string(found[0].Value) != "kept":
		t.Errorf(`afterwards: string(found[0].Value) = %q, want "kept"`, string(found[0].Value))
	}
}

func start(t *testing.T, ctx context.Context, config cluster.Config) *cluster.Cluster {
	t.Helper()
	c, err := cluster.Start(ctx, config)
	must(t, err)
	t.Cleanup(func() { must(t, c.Stop()) })
	return c
}
