package faults

import (
	"context"
	"net"
	"net/url"
	"path/filepath"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"melmastoon.ghasi.io/shared/local/cluster"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/testkit/pgtest"
	"melmastoon.ghasi.io/test/stage"
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
	port, err := strconv.Atoi(s.address().Port())
	if err != nil {
		t.Fatal(err)
	}
	s.config.Port = port
	t.Cleanup(func() { s.end(s.running.Kill) })
	return s
}

func (s *server) start() {
	s.t.Helper()
	running, err := cluster.Start(context.Background(), s.config)
	if err != nil {
		s.t.Fatal(err)
	}
	s.running = running
}

func (s *server) end(how func() error) {
	s.t.Helper()
	if err := how(); err != nil {
		s.t.Error(err)
	}
}

func (s *server) address() *url.URL {
	s.t.Helper()
	u, err := url.Parse(s.running.URL("postgres"))
	if err != nil {
		s.t.Fatal(err)
	}
	return u
}

// database is one of the server. What it has committed survives a crash of the server, though not one of the machine.
func (s *server) database() *pgtest.Database {
	s.t.Helper()
	db := pgtest.On(s.t, s.running.URL("postgres"))
	if _, err := db.Owner(s.t).Exec(s.t.Context(), `ALTER ROLE `+pgtest.Login+` SET synchronous_commit = on`); err != nil {
		s.t.Fatal(err)
	}
	return db
}

// restart kills the server, keeps it away for so long, and starts it again. It returns when its port was open again.
func (s *server) restart(away time.Duration) (open time.Time) {
	s.t.Helper()
	host := s.address().Host
	s.end(s.running.Kill)
	<-time.After(away) // the length of the outage, not a wait for anything
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

// deployed opens the system with the time limits of a deployment, several clients and a database.
func deployed(t *testing.T, db *pgtest.Database) *stage.Stage {
	t.Helper()
	e := db.Env().With("FORWARDED_HOPS", "1").With("DOCUMENT_TIMEOUT", "150ms")
	return stage.Within(t, db, env.Give(e, env.TimeoutFactor(1)))
}

// A slow line leads to a database server. What it carries arrives later, in both directions.
type slowLine struct {
	listener net.Listener
	to       string
	delay    atomic.Int64
	delayed  atomic.Int64 // pieces that arrived later
}

func newSlowLine(t *testing.T, to string) *slowLine {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	l := &slowLine{listener: listener, to: to}
	go l.accept()
	return l
}

func (l *slowLine) accept() {
	for {
		from, err := l.listener.Accept()
		if err != nil {
			return
		}
		to, err := net.Dial("tcp", l.to)
		if err != nil {
			_ = from.Close()
			continue
		}
		go l.carry(from, to)
		go l.carry(to, from)
	}
}

// A piece is what arrived together, and when it is due.
type piece struct {
	bytes []byte
	due   time.Time
}

// carry hands on in order what is read, each piece when it is due. The end arrives last.
func (l *slowLine) carry(from, to net.Conn) {
	under := make(chan piece, 1024)
	var both sync.WaitGroup
	both.Go(func() {
		for p := range under {
			<-time.After(time.Until(p.due))
			_, _ = to.Write(p.bytes)
		}
		_ = to.Close()
	})
	for {
		buffer := make([]byte, 32<<10)
		n, err := from.Read(buffer)
		if delay := time.Duration(l.delay.Load()); n > 0 {
			if delay > 0 {
				l.delayed.Add(1)
			}
			under <- piece{buffer[:n], time.Now().Add(delay)}
		}
		if err != nil {
			break
		}
	}
	close(under)
	both.Wait()
}
