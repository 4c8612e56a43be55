package faults

import (
	"context"
	"net"
	"net/url"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"melmastoon.ghasi.io/shared/local/cluster"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/testkit/check"
	"melmastoon.ghasi.io/shared/testkit/pgtest"
	"melmastoon.ghasi.io/test/system"
)

// A server is a database server of one test, which may restart it.
type server struct {
	t       *testing.T
	config  cluster.Config
	running *cluster.Cluster
}

func newServer(t *testing.T) *server {
	t.Helper()
	if testing.Short() {
		t.Skip("needs PostgreSQL")
	}
	s := &server{t: t, config: cluster.Config{Dir: filepath.Join(t.TempDir(), "postgres")}}
	s.start()
	port := check.Got(strconv.Atoi(s.address().Port())).Must(t)
	s.config.Port = port
	t.Cleanup(func() { s.end(s.running.Kill) })
	return s
}

func (s *server) start() {
	s.t.Helper()
	running := check.Got(cluster.Start(context.Background(), s.config)).Must(s.t)
	s.running = running
}

func (s *server) end(how func() error) {
	s.t.Helper()
	check.NoError(s.t, how())
}

func (s *server) address() *url.URL {
	s.t.Helper()
	return check.Got(url.Parse(s.running.URL("postgres"))).Must(s.t)
}

// database is one of the server. What it has committed survives a crash of the server, though not one of the machine.
func (s *server) database() *pgtest.Database {
	s.t.Helper()
	db := pgtest.On(s.t, s.running.URL("postgres"))
	check.Got(db.Owner(s.t).Exec(s.t.Context(), `ALTER ROLE `+pgtest.Login+` SET synchronous_commit = on`)).Must(s.t)
	return db
}

// restart kills the server, keeps it away for so long, and starts it again. It returns when its port was open again.
func (s *server) restart(outage time.Duration) (open time.Time) {
	s.t.Helper()
	host := s.address().Host
	s.end(s.running.Kill)
	<-time.After(outage) // the length of the outage, not a wait for anything
	back := make(chan time.Time, 1)
	go func() {
		for look := time.NewTicker(time.Millisecond); ; <-look.C {
			if conn, err := net.Dial("tcp", host); err == nil {
				_ = conn.Close()
				back <- time.Now()
				return
			}
		}
	}()
	s.start()
	return <-back
}

// limit restarts the server so that it takes so many connections. Three of them are the superuser's.
func (s *server) limit(connections int) {
	s.t.Helper()
	s.config.Connections = connections
	s.end(s.running.Stop)
	s.start()
}

// deployed opens the system with the time limits of a deployment, for clients at several addresses.
func deployed(t *testing.T, db *pgtest.Database, with func(env.Env) env.Env) *system.System {
	t.Helper()
	e := with(db.Env()).With("FORWARDED_HOPS", "1").With("DOCUMENT_TIMEOUT", "150ms")
	return system.Within(t, db, e.With("TIMEOUT_FACTOR", "1"))
}
