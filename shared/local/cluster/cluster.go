// Package cluster runs a private PostgreSQL server from the machine's own binaries, for the local cloud and for
// tests. It listens on loopback only, asks everyone for a password, and ends with the process that started it.
package cluster

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// ErrDamaged is behind every error of Start that only a new folder can help against.
var ErrDamaged = errors.New("The database folder is damaged")

// A Config says where a server keeps its data and how careful it is with it.
type Config struct {
	Dir     string // made when it is missing; holds data/, log and password
	Port    int    // on 127.0.0.1; 0 is any that is free
	Durable bool   // what was committed survives the machine; without it only the process

	Connections int // at most so many at a time; 0 is 300
}

// A Cluster is a running server.
type Cluster struct {
	dir      string
	port     int
	password string
	process  *process
}

// superuser is the login that owns everything. Functions never use it.
const superuser = "postgres"

// Start starts the server of a folder and returns when it answers. A server that an earlier process left running
// on the folder is stopped first. Errors are sentences for the person at the terminal.
func Start(ctx context.Context, c Config) (*Cluster, error) {
	dir, err := filepath.Abs(c.Dir)
	if err != nil {
		return nil, err
	}
	binaries, err := find(filepath.Join(dir, "data"))
	if err != nil {
		return nil, err
	}
	who, err := chooseUser(dir)
	if err != nil {
		return nil, err
	}
	f := folder{dir: dir, who: who, binaries: binaries}
	password, err := f.prepare(ctx, c.Durable)
	if err != nil {
		return nil, err
	}
	if err := f.heal(ctx); err != nil {
		return nil, err
	}
	return f.serve(ctx, c, password)
}

// attempts bounds how often a free port is looked for: between finding and using it another program may be quicker.
const attempts = 3

func (f folder) serve(ctx context.Context, c Config, password string) (*Cluster, error) {
	for attempt := 1; ; attempt++ {
		port, err := choosePort(c.Port)
		if err != nil {
			return nil, err
		}
		p, err := f.launch(port, c)
		if err != nil {
			return nil, err
		}
		cluster := &Cluster{dir: f.dir, port: port, password: password, process: p}
		err = cluster.ready(ctx)
		if err == nil {
			return cluster, nil
		}
		err = errors.Join(err, p.end(immediate))
		if c.Port != 0 || attempt == attempts || !errors.Is(err, errPortTaken) {
			return nil, err
		}
	}
}

// URL is where the superuser finds a database of the server.
func (c *Cluster) URL(database string) string { return c.LoginURL(superuser, c.password, database) }

// LoginURL is where another login finds a database of the server.
func (c *Cluster) LoginURL(login, password, database string) string {
	u := url.URL{
		Scheme:   "postgres",
		User:     url.UserPassword(login, password),
		Host:     "127.0.0.1:" + strconv.Itoa(c.port),
		Path:     "/" + database,
		RawQuery: "sslmode=disable",
	}
	return u.String()
}

// Password is the superuser's. It is kept in the folder, readable by its owner alone.
func (c *Cluster) Password() string { return c.password }

// Done is closed when the server has ended, whoever ended it.
func (c *Cluster) Done() <-chan struct{} { return c.process.Done() }

// Stop ends the server in good order: transactions are rolled back, everything is on disk. It may be called twice.
func (c *Cluster) Stop() error { return c.process.end(fast) }

// Kill ends the server at once, as a crash would. The next start recovers what was committed.
func (c *Cluster) Kill() error { return c.process.end(immediate) }

// readyPause is how often a starting server is asked whether it answers.
const readyPause = 10 * time.Millisecond

// startingUp is what a server answers while it recovers.
const startingUp = "57P03"

// ready waits until the server answers a login. Recovery after a crash may take its time: the context bounds it.
func (c *Cluster) ready(ctx context.Context) error {
	ticker := time.NewTicker(readyPause)
	defer ticker.Stop()
	for {
		conn, err := pgx.Connect(ctx, c.URL("postgres"))
		if err == nil {
			return conn.Close(ctx)
		}
		if server, ok := errors.AsType[*pgconn.PgError](err); ok && server.Code != startingUp {
			return fmt.Errorf("%w: the server in %s says %q", ErrDamaged, c.dir, server.Message)
		}
		select {
		case <-c.process.Done():
			return c.failure()
		case <-ctx.Done():
			return plainly("The database did not answer in time (see %s): %w.", c.logPath(), err)
		case <-ticker.C:
		}
	}
}

func (c *Cluster) logPath() string { return filepath.Join(c.dir, "log") }

// Temporary starts a server in a folder of its own under the system's temporary files. The folder is removed when
// this process has ended, in whatever way, or by Stop.
func Temporary(ctx context.Context) (*Cluster, error) {
	dir, err := os.MkdirTemp("", "melmastoon-postgres-")
	if err != nil {
		return nil, err
	}
	sweep, err := removeWhenGone(dir)
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	c, err := Start(ctx, Config{Dir: dir})
	if err != nil {
		return nil, errors.Join(err, sweep())
	}
	c.process.after = sweep
	return c, nil
}

func missing(path string) bool {
	_, err := os.Stat(path)
	return errors.Is(err, fs.ErrNotExist)
}

// plainly makes an error that a person reads as it stands: one whole sentence.
func plainly(sentence string, args ...any) error { return fmt.Errorf(sentence, args...) }
