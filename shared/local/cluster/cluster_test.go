package cluster_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"melmastoon.ghasi.io/shared/local/cluster"
)

func start(t *testing.T, c cluster.Config) *cluster.Cluster {
	t.Helper()
	if testing.Short() {
		t.Skip("needs PostgreSQL")
	}
	started, err := cluster.Start(within(t), c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { must(t, started.Stop()) })
	return started
}

func within(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	return ctx
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// say runs a statement as the superuser and returns its single value.
func say(t *testing.T, c *cluster.Cluster, sql string) (value string) {
	t.Helper()
	conn, err := pgx.Connect(within(t), c.URL("postgres"))
	must(t, err)
	defer conn.Close(context.Background())
	rows, _ := conn.Query(within(t), sql)
	values, err := pgx.CollectRows(rows, pgx.RowTo[string])
	must(t, err)
	return strings.Join(values, ",")
}

func TestStart_dataSurvives(t *testing.T) {
	t.Parallel()
	config := cluster.Config{Dir: t.TempDir(), Durable: true}
	c := start(t, config)
	say(t, c, `CREATE TABLE guests (name text)`)
	for i, end := range []func() error{c.Stop, nil} {
		say(t, c, fmt.Sprintf(`INSERT INTO guests VALUES ('%d')`, i))
		if end == nil {
			end = c.Kill
		}
		must(t, end())
		<-c.Done()
		c = start(t, config)
	}
	if got := say(t, c, `SELECT name FROM guests ORDER BY name`); got != "0,1" {
		t.Errorf("got %q, want 0,1", got)
	}
	if got := say(t, c, `SHOW fsync`); got != "on" {
		t.Errorf("a durable server has fsync %s", got)
	}
}

func TestURL_password(t *testing.T) {
	t.Parallel()
	c := start(t, cluster.Config{Dir: t.TempDir()})
	conn, err := pgx.Connect(within(t), c.LoginURL("postgres", "guess", "postgres"))
	if err == nil {
		_ = conn.Close(within(t))
		t.Error("a wrong password was accepted")
	}
}

func TestStart_portInUse(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	defer l.Close()
	port := l.Addr().(*net.TCPAddr).Port
	_, err = cluster.Start(within(t), cluster.Config{Dir: t.TempDir(), Port: port})
	if err == nil {
		t.Fatal("error = nil, want a value")
	}
	if !strings.Contains(err.Error(), fmt.Sprint(port)) {
		t.Errorf("err.Error() = %q, want it to contain %q", err.Error(), fmt.Sprint(port))
	}
	if strings.Contains(err.Error(), "\n") {
		t.Errorf("err.Error() = %q, want it without %q", err.Error(), "\n")
	}
}

func TestStart_fixedPort(t *testing.T) {
	t.Parallel()
	free := start(t, cluster.Config{Dir: t.TempDir()})
	config := cluster.Config{Dir: t.TempDir(), Port: free.Port()}
	must(t, free.Stop())
	if c := start(t, config); c.Port() != config.Port {
		t.Errorf("listens on %d, want %d", c.Port(), config.Port)
	}
}

func TestStart_stalePidFile(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name string
		pid  int
	}{
		{"of a process that is gone", 4_000_000},
		{"of a process id that another process has now", os.Getpid()},
		{"of nothing", 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			config := cluster.Config{Dir: t.TempDir()}
			c := start(t, config)
			must(t, c.Stop())
			lock := filepath.Join(config.Dir, "data", "postmaster.pid")
			text := fmt.Sprintf("%d\n%s\n0\n5432\n\n127.0.0.1\n  0 0\nready\n", test.pid, filepath.Join(config.Dir, "data"))
			must(t, os.WriteFile(lock, []byte(text), 0o600))
			start(t, config)
		})
	}
}

func TestStart_serverLeftBehind(t *testing.T) {
	t.Parallel()
	config := cluster.Config{Dir: t.TempDir(), Durable: true}
	left := start(t, config)
	say(t, left, `CREATE TABLE guests (name text)`)
	again := start(t, config)
	<-left.Done()
	if got := say(t, again, `SELECT count(*)::text FROM guests`); got != "0" {
		t.Errorf("got %q", got)
	}
}

func TestStart_interruptedInitdb(t *testing.T) {
	t.Parallel()
	config := cluster.Config{Dir: t.TempDir()}
	must(t, os.MkdirAll(filepath.Join(config.Dir, "data.new", "base"), 0o700)) // what a killed initdb leaves
	start(t, config)
}

func TestStart_damagedFolder(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name   string
		damage func(dir string) error
	}{
		{"without its control file", func(dir string) error { return os.Remove(filepath.Join(dir, "data", "global", "pg_control")) }},
		{"with a broken control file", func(dir string) error {
			return os.WriteFile(filepath.Join(dir, "data", "global", "pg_control"), []byte("?"), 0o600)
		}},
		{"without a version", func(dir string) error { return os.Remove(filepath.Join(dir, "data", "PG_VERSION")) }},
		{"of an unknown version", func(dir string) error {
			return os.WriteFile(filepath.Join(dir, "data", "PG_VERSION"), []byte("7\n"), 0o600)
		}},
		{"without its password", func(dir string) error { return os.Remove(filepath.Join(dir, "password")) }},
		{"without its tables", func(dir string) error { return os.RemoveAll(filepath.Join(dir, "data", "base")) }},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			config := cluster.Config{Dir: t.TempDir()}
			c := start(t, config)
			must(t, c.Stop())
			must(t, test.damage(config.Dir))
			_, err := cluster.Start(within(t), config)
			if !errors.Is(err, cluster.ErrDamaged) {
				t.Errorf("error = %v, want %v", err, cluster.ErrDamaged)
			}
			if strings.Contains(err.Error(), "\n") {
				t.Errorf("err.Error() = %q, want it without %q", err.Error(), "\n")
			}
		})
	}
}

// The project's folder may be in root's home, which the server's user cannot access.
func TestStart_closedParentFolder(t *testing.T) {
	t.Parallel()
	closed := t.TempDir()
	must(t, os.Chmod(closed, 0o700))
	start(t, cluster.Config{Dir: filepath.Join(closed, "local", "postgres")})
}
