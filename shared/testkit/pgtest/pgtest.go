// Package pgtest provides each test with its own PostgreSQL database that has the tables of all services and an adjustable
// clock. At the end of the test it checks the invariants.
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

	"melmastoon.ghasi.io/shared/local/setup"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/postgres"
	"melmastoon.ghasi.io/shared/testkit/check"
)

// Login is the role that functions connect as: a member of every application and maintenance role, and nothing else.
const Login = "melmastoon"

// timeout is the time limit of each operation, so that a test fails with a reason if the server hangs.
const timeout = 30 * time.Second

// A Database belongs to one test and is dropped at its end.
type Database struct {
	t     testing.TB
	name  string
	admin url.URL // the superuser's URL
	env   env.Env
}

// New clones a database with all migrations applied. When the test ends, its environment is closed, the invariants are checked,
// and the database is dropped. With -short it skips the test.
func New(t testing.TB) *Database {
	t.Helper()
	return open(t, server, true)
}

// On is like New on a server that the test has started and may restart or overload. The address is the superuser's URL.
func On(t testing.TB, address string) *Database {
	t.Helper()
	return open(t, func() (*host, error) { return newHost(context.Background(), address) }, true)
}

// Empty creates a database without the project's schemas, for tests of the migrations.
func Empty(t testing.TB) *Database {
	t.Helper()
	return open(t, server, false)
}

func open(t testing.TB, server func() (*host, error), migrated bool) *Database {
	t.Helper()
	if testing.Short() {
		t.Skip("needs a database")
	}
	s := check.Got(server()).Must(t, "pgtest")
	d := &Database{t: t, name: "test_" + strings.ToLower(rand.Text()), admin: s.admin}
	template := "template0"
	if migrated {
		template = s.template
	}
	d.create(template)
	d.env = env.Of(map[string]string{
		"DATABASE_URL":     d.URL(),
		"DOCUMENT_TIMEOUT": "5s", // a busy machine is slow
		"TIMEOUT_FACTOR":   "4",  // calls survive a stall of the machine for a second

		"RATE_LIMIT_SESSION": "off", "RATE_LIMIT_ADDRESS": "off", "RATE_LIMIT_TENANT": "off", // parallel tests would exceed them
	})
	t.Cleanup(func() { d.close(migrated) })
	return d
}

// Env returns the environment for functions and packages, with this database and its clock.
func (d *Database) Env() env.Env { return d.env }

// URL returns the database's URL for the functions' login.
func (d *Database) URL() string {
	u := d.at(d.name)
	password, _ := u.User.Password()
	u.User = url.UserPassword(Login, password)
	return u.String()
}

// OwnerURL returns the database's URL for the superuser.
func (d *Database) OwnerURL() string {
	u := d.at(d.name)
	return u.String()
}

// Owner returns a connection that bypasses row-level security, for assertions.
func (d *Database) Owner(t testing.TB) *pgx.Conn {
	t.Helper()
	conn := connect(t, d.OwnerURL())
	t.Cleanup(func() { disconnect(conn) })
	return conn
}

// Advance advances the clocks of Go and SQL together.
func (d *Database) Advance(by time.Duration) {
	d.t.Helper()
	conn := connect(d.t, d.OwnerURL())
	defer disconnect(conn)
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	check.Got(setup.MoveClock(ctx, conn, by)).Must(d.t, "pgtest")
	d.env.Advance(by)
}

func (d *Database) at(database string) url.URL {
	u := d.admin
	u.Path = "/" + database
	return u
}

func (d *Database) create(template string) {
	d.t.Helper()
	// The files of the template are copied, which takes half the time of logging every page.
	d.manage(fmt.Sprintf(`CREATE DATABASE %q TEMPLATE %q STRATEGY FILE_COPY`, d.name, template),
		fmt.Sprintf(`REVOKE TEMPORARY ON DATABASE %q FROM PUBLIC`, d.name)) // a clone does not copy privileges
}

func (d *Database) close(migrated bool) {
	d.t.Helper()
	d.closeEnv()
	if migrated {
		d.check()
	}
	d.manage(fmt.Sprintf(`DROP DATABASE %q WITH (FORCE)`, d.name))
}

// closeEnv closes the environment. Pools wait for open transactions; a transaction that does not end fails the test.
func (d *Database) closeEnv() {
	d.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	closed := make(chan error, 1)
	go func() { closed <- d.env.Close(ctx) }()
	select {
	case err := <-closed:
		check.NoError(d.t, err, "pgtest: close")
	case <-ctx.Done():
		d.t.Error("pgtest: a transaction is still open at the end of the test")
	}
}

func (d *Database) check() {
	d.t.Helper()
	conn := connect(d.t, d.OwnerURL())
	defer disconnect(conn)
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	breaches, err := Violations(ctx, conn)
	check.NoError(d.t, err, "pgtest")
	for _, b := range breaches {
		d.t.Errorf("pgtest: invariant broken: %s", b)
	}
}

// manage runs statements that cannot run in a transaction, on another database.
func (d *Database) manage(statements ...string) {
	d.t.Helper()
	u := d.at("postgres")
	conn := connect(d.t, u.String())
	defer disconnect(conn)
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	for _, s := range statements {
		check.Got(conn.Exec(ctx, s)).Must(d.t, "pgtest: %s", s)
	}
}

// connect opens a connection with the project's id and date types registered.
func connect(t testing.TB, url string) *pgx.Conn {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	return check.Got(postgres.Connect(ctx, env.Of(map[string]string{"DATABASE_URL": url}))).Must(t, "pgtest")
}

func disconnect(conn *pgx.Conn) {
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	_ = conn.Close(ctx)
}
