// Package system puts the whole system on a database of its own and lets a test act on it as its callers do: over
// HTTP only. What it looks up in tables is for judging, never for acting.
package system

import (
	"net"
	"testing"
	"time"

	"melmastoon.ghasi.io"
	"melmastoon.ghasi.io/functions/sandbox/demo"
	"melmastoon.ghasi.io/scripts/serve/cloud"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/identity"
	"melmastoon.ghasi.io/shared/testkit/pgtest"
)

// timeout bounds everything a test waits for.
const timeout = 30 * time.Second

// A System is the running system with two hotels in it.
type System struct {
	Caller
	DB     *pgtest.Database
	Cloud  *cloud.Cloud
	Issuer *identity.Issuer
	Log    *Log
	t      testing.TB
}

// Open starts the system on a fresh clone of the database and stops it with the test.
func Open(t testing.TB) *System {
	t.Helper()
	db := pgtest.New(t)
	return On(t, db)
}

// On starts the system on a database that the test has prepared.
func On(t testing.TB, db *pgtest.Database) *System {
	t.Helper()
	return Within(t, db, db.Env())
}

// Within starts it in surroundings that the test has made from the database's. A test that fails prints what happened.
func Within(t testing.TB, db *pgtest.Database, e env.Env) *System {
	t.Helper()
	return As(t, db, standing(t, cloud.Config{Env: e}))
}

// Secret is the one of every stage.
var Secret = make(cloud.Secret, 32)

// As starts it as configured. The functions, the listener, the secret and the log are the stage's own.
func As(t testing.TB, db *pgtest.Database, c cloud.Config) *System {
	t.Helper()
	if err := demo.Furnish(t.Context(), c.Env, 2); err != nil { // those that examples book
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &System{DB: db, Log: new(Log), t: t}
	c.Functions, c.Listener, c.Secret, c.Log = melmastoon.Functions, listener, Secret, s.Log
	local, err := cloud.Start(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.explain) // after the cloud has ended: cleanups run last to first
	t.Cleanup(func() {
		if err := local.Close(); err != nil {
			t.Error(err)
		}
	})
	token, err := local.Token()
	if err != nil {
		t.Fatal(err)
	}
	s.Caller, s.Cloud, s.Issuer = NewCaller(local.URL(), token), local, local.Issuer()
	return s
}

// Env is what the functions are told, for tests that build a second one of something.
func (s *System) Env() env.Env { return s.Cloud.Env() }

// Advance moves the one clock.
func (s *System) Advance(d time.Duration) { s.DB.Advance(d) }

// Tick fires one scheduled function.
func (s *System) Tick(name string) {
	s.t.Helper()
	if err := s.Cloud.Tick(s.t.Context(), name); err != nil {
		s.t.Fatal(err)
	}
}
