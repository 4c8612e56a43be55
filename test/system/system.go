// Package system runs the whole system on a database of its own. A test acts on it like its callers, over HTTP only; it reads
// tables for assertions, never for actions.
package system

import (
	"context"
	"io"
	"net"
	"testing"
	"time"

	"melmastoon.ghasi.io"
	"melmastoon.ghasi.io/functions/consumer"
	"melmastoon.ghasi.io/functions/demo/sandbox/demo"
	"melmastoon.ghasi.io/scripts/serve/cloud"
	"melmastoon.ghasi.io/scripts/serve/operations"
	"melmastoon.ghasi.io/shared/local/emulated"
	"melmastoon.ghasi.io/shared/local/signing"
	"melmastoon.ghasi.io/shared/platform/document"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/testkit/check"
	"melmastoon.ghasi.io/shared/testkit/pgtest"
)

// timeout is the time limit for each wait of a test.
const timeout = 30 * time.Second

// A System is the running system with two hotels in it.
type System struct {
	Caller
	DB     *pgtest.Database
	Cloud  *cloud.Cloud
	Issuer *signing.Issuer
	Log    *Log
	t      testing.TB
}

// Open starts the system on a fresh clone of the database and stops it with the test.
func Open(t testing.TB) *System {
	t.Helper()
	db := pgtest.New(t)
	return On(t, db)
}

// On starts the system on a database prepared by the test.
func On(t testing.TB, db *pgtest.Database) *System {
	t.Helper()
	return Within(t, db, db.Env())
}

// Within starts the system in an environment that the test has derived from the database's, at noon in Kabul. If the test fails, it
// prints the timeline.
func Within(t testing.TB, db *pgtest.Database, e env.Env) *System {
	t.Helper()
	ToNoon(db)
	return As(t, db, backendEnv(t, cloud.Config{Env: e}))
}

// Secret is the secret of every test system.
var Secret = make(cloud.Secret, 32)

// As starts the system with a configuration. It sets the functions, the listener, the secret and the log itself.
func As(t testing.TB, db *pgtest.Database, c cloud.Config) *System {
	t.Helper()
	if err := demo.Furnish(t.Context(), c.Env, 2); err != nil { // the hotels of the examples
		t.Fatal(err)
	}
	listener := check.Got(net.Listen("tcp", "127.0.0.1:0")).Must(t)
	s := &System{DB: db, Log: new(Log), t: t}
	c.Functions, c.Listener, c.Secret, c.Log = melmastoon.Functions, listener, Secret, s.Log
	c.Jobs = operations.Jobs()
	c.Owner, c.ReadLog = db.OwnerURL(), func() (io.ReadCloser, error) { return io.NopCloser(s.Log.Reader()), nil }
	local := check.Got(cloud.Start(t.Context(), c)).Must(t)
	t.Cleanup(s.printTimeline) // runs after the cloud has ended: cleanups run in reverse order
	t.Cleanup(func() {
		if b, ok := local.Messages().(*emulated.Bus); ok {
			// Google's emulator repeats deliveries to a system that has ended for as long as its subscriptions exist.
			ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), 30*time.Second)
			defer cancel()
			check.NoError(t, b.Subscribe(ctx, nil))
		}
		check.NoError(t, local.Close())
	})
	// All travellers of a test come from one address, faster than people.
	setBotRules(t, local.Env(), `{"cadence":[],"fingerprintCollision":[]}`)
	token := check.Got(local.Token()).Must(t)
	s.Caller, s.Cloud, s.Issuer = NewCaller(local.URL(), token), local, local.Issuer()
	return s
}

// ToNoon moves the clock to the next noon in Kabul, unless the test has moved it before. So no test passes midnight or the start of a
// hotel's business day by chance; a test of those hours moves the clock to them.
func ToNoon(db *pgtest.Database) {
	const day, noon = 24 * time.Hour, 7*time.Hour + 30*time.Minute // in UTC: Kabul is four and a half hours ahead
	if now := db.Env().Now(); db.Env().Offset() == 0 {
		db.Advance((noon - now.Sub(now.Truncate(day)) + day) % day)
	}
}

// Env returns the environment of the functions, for tests that build further instances.
func (s *System) Env() env.Env { return s.Cloud.Env() }

// Advance advances the clock of the system. The caller gets a new token, because the old one may have expired.
func (s *System) Advance(d time.Duration) {
	s.t.Helper()
	s.DB.Advance(d)
	token := check.Got(s.Cloud.Token()).Must(s.t)
	s.Caller.token = token
}

// Tick calls one scheduled function.
func (s *System) Tick(name string) {
	s.t.Helper()
	check.Must(s.t, s.Cloud.Tick(s.t.Context(), name))
}

// setBotRules stores rules of bot detection as the job flags does.
func setBotRules(t testing.TB, e env.Env, rules string) {
	t.Helper()
	now := e.Now()
	docs := document.Open[consumer.BotRules](e, consumer.FlagsIn)
	var err error
	for range 5 { // the time limit of one write is short on a busy machine
		_, err = docs.Put(t.Context(), consumer.BotRulesKey, consumer.BotRules{Rules: []byte(rules)}, now.UnixMicro(), now.AddDate(1, 0, 0))
		if err == nil {
			return
		}
	}
	t.Fatal(err)
}

// SetBotRules stores rules of bot detection. Functions read them with their first request, and again after 30 seconds.
func (s *System) SetBotRules(rules string) {
	s.t.Helper()
	setBotRules(s.t, s.Env(), rules)
}
