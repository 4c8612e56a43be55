// Package stage puts the whole system on a database of its own and lets a test act on it as its callers do: over
// HTTP only. What it looks up in tables is for judging, never for acting.
package stage

import (
	"io"
	"net"
	"testing"
	"time"

	"melmastoon.ghasi.io"
	"melmastoon.ghasi.io/functions/sandbox/demo"
	"melmastoon.ghasi.io/scripts/serve/cloud"
	"melmastoon.ghasi.io/shared/env"
	"melmastoon.ghasi.io/shared/identity"
	"melmastoon.ghasi.io/shared/pgtest"
)

// patience bounds everything a test waits for.
const patience = 30 * time.Second

// A Stage is the running system with two hotels in it.
type Stage struct {
	Caller
	DB     *pgtest.Database
	Cloud  *cloud.Cloud
	Issuer *identity.Issuer
	t      testing.TB
}

// Open starts the system on a fresh clone of the database and stops it with the test.
func Open(t testing.TB) *Stage {
	t.Helper()
	db := pgtest.New(t)
	return On(t, db)
}

// On starts the system on a database that the test has prepared.
func On(t testing.TB, db *pgtest.Database) *Stage {
	t.Helper()
	return Within(t, db, db.Env())
}

// Within starts it in surroundings that the test has made from the database's.
func Within(t testing.TB, db *pgtest.Database, e env.Env) *Stage {
	t.Helper()
	if err := demo.Load(t.Context(), e); err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	local, err := cloud.Start(t.Context(), cloud.Config{Env: e, Functions: melmastoon.Functions, Listener: listener, Secret: make(cloud.Secret, 32), Log: io.Discard})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := local.Close(); err != nil {
			t.Error(err)
		}
	})
	token, err := local.Token()
	if err != nil {
		t.Fatal(err)
	}
	return &Stage{Caller: NewCaller(local.URL(), token), DB: db, Cloud: local, Issuer: local.Issuer(), t: t}
}

// Env is what the functions are told, for tests that build a second one of something.
func (s *Stage) Env() env.Env { return s.Cloud.Env() }

// Advance moves the one clock.
func (s *Stage) Advance(d time.Duration) { s.DB.Advance(d) }

// Tick fires one scheduled function.
func (s *Stage) Tick(name string) {
	s.t.Helper()
	if err := s.Cloud.Tick(s.t.Context(), name); err != nil {
		s.t.Fatal(err)
	}
}
