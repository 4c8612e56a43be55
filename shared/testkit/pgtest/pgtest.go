// Package pgtest gives each test a PostgreSQL database of its own, with every service's tables, a clock that moves,
// and a check at the end that the books balance.
package pgtest

import (
	"context"
	"crypto/rand"
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/postgres"
	"melmastoon.ghasi.io/shared/platform/postgres/migrate"
)

// Login is the role that functions connect as: a member of every application and maintenance role, and nothing else.
const Login = "melmastoon"

// timeout bounds each thing done for a test, so that a stuck server fails it with a reason.
const timeout = 30 * time.Second

// A Database belongs to one test and is dropped with it.
type Database struct {
	t     testing.TB
	name  string
	admin url.URL // the superuser's, of any database
	env   env.Env
}

// New clones a database in which all migrations have run. When the test ends, its environment is closed, the
// invariants are checked, and the database is dropped. Under -short the test is skipped.
func New(t testing.TB) *Database {
	t.Helper()
	return open(t, server, true)
}

// On is New on a server that the test has started, at its superuser's address: one that it may restart or overload.
func On(t testing.TB, address string) *Database {
	t.Helper()
	return open(t, func() (*host, error) { return newHost(context.Background(), address) }, true)
}

// Empty makes a database without any of our schemas, for what tests the migrations themselves.
func Empty(t testing.TB) *Database {
	t.Helper()
	return open(t, server, false)
}

// factor has a call endure that the machine stands still for a second.
const factor = env.TimeoutFactor(4)

func open(t testing.TB, server func() (*host, error), migrated bool) *Database {
	t.Helper()
	if testing.Short() {
		t.Skip("needs a database")
	}
	s, err := server()
	if err != nil {
		t.Fatalf("pgtest: %v", err)
	}
	d := &Database{t: t, name: "test_" + strings.ToLower(rand.Text()), admin: s.admin}
	template := "template0"
	if migrated {
		template = s.template
	}
	d.create(template)
	d.env = env.Give(env.Of(map[string]string{
		"DATABASE_URL":     d.URL(),
		"DOCUMENT_TIMEOUT": "5s", // a crowded machine is slow, but its store does not hang

		"RATE_LIMIT_SESSION": "off", "RATE_LIMIT_ADDRESS": "off", "RATE_LIMIT_TENANT": "off", // tests come in crowds
	}), factor)
	t.Cleanup(func() { d.close(migrated) })
	return d
}

// Env is what functions and rooms are built from: this database, and a clock of its own.
func (d *Database) Env() env.Env { return d.env }

// URL is where the functions' login finds the database.
func (d *Database) URL() string {
	u := d.at(d.name)
	password, _ := u.User.Password()
	u.User = url.UserPassword(Login, password)
	return u.String()
}

// OwnerURL is where the superuser finds the database.
func (d *Database) OwnerURL() string {
	u := d.at(d.name)
	return u.String()
}

// Owner is a connection that sees everything, for looking: row-level security does not bind it.
func (d *Database) Owner(t testing.TB) *pgx.Conn {
	t.Helper()
	conn := connect(t, d.OwnerURL())
	t.Cleanup(func() { hangUp(conn) })
	return conn
}

// Advance moves the clock of Go and of SQL together.
func (d *Database) Advance(by time.Duration) {
	d.t.Helper()
	conn := connect(d.t, d.OwnerURL())
	defer hangUp(conn)
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	if _, err := migrate.MoveClock(ctx, conn, by); err != nil {
		d.t.Fatalf("pgtest: %v", err)
	}
	d.env.Advance(by)
}

func (d *Database) at(database string) url.URL {
	u := d.admin
	u.Path = "/" + database
	return u
}

func (d *Database) create(template string) {
	d.t.Helper()
	d.manage(fmt.Sprintf(`CREATE DATABASE %q TEMPLATE %q`, d.name, template),
		fmt.Sprintf(`REVOKE TEMPORARY ON DATABASE %q FROM PUBLIC`, d.name)) // a clone does not take it along
}

func (d *Database) close(migrated bool) {
	d.t.Helper()
	d.closeEnv()
	if migrated {
		d.check()
	}
	d.manage(fmt.Sprintf(`DROP DATABASE %q WITH (FORCE)`, d.name))
}

// closeEnv waits for the pools, which wait for their transactions: one that never ended is the test's mistake.
func (d *Database) closeEnv() {
	d.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	closed := make(chan error, 1)
	go func() { closed <- d.env.Close(ctx) }()
	select {
	case err := <-closed:
		if err != nil {
			d.t.Errorf("pgtest: close: %v", err)
		}
	case <-ctx.Done():
		d.t.Error("pgtest: a transaction is still open at the end of the test")
	}
}

func (d *Database) check() {
	d.t.Helper()
	conn := connect(d.t, d.OwnerURL())
	defer hangUp(conn)
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	breaches, err := Breaches(ctx, conn)
	if err != nil {
		d.t.Errorf("pgtest: %v", err)
	}
	for _, b := range breaches {
		d.t.Errorf("pgtest: invariant broken: %s", b)
	}
}

// manage runs statements that no transaction may hold, outside of the database.
func (d *Database) manage(statements ...string) {
	d.t.Helper()
	u := d.at("postgres")
	conn := connect(d.t, u.String())
	defer hangUp(conn)
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	for _, s := range statements {
		if _, err := conn.Exec(ctx, s); err != nil {
			d.t.Fatalf("pgtest: %s: %v", s, err)
		}
	}
}

// connect opens a connection that knows our ids and dates.
func connect(t testing.TB, url string) *pgx.Conn {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	conn, err := postgres.Connect(ctx, env.Of(map[string]string{"DATABASE_URL": url}))
	if err != nil {
		t.Fatalf("pgtest: %v", err)
	}
	return conn
}

func hangUp(conn *pgx.Conn) {
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	_ = conn.Close(ctx)
}
