// Package cluster runs a private PostgreSQL server from the machine's installed binaries, for the local cloud and for
// tests. It listens on loopback only, requires a password, and ends with the process that started it.
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

// ErrDamaged is wrapped by errors of Start that require a new folder.
var ErrDamaged = errors.New("The database folder is damaged") //nolint:staticcheck // begins a sentence for a person

// A Config configures a server.
type Config struct {
	Dir     string // created if missing; contains data/, log and password
	Port    int    // on 127.0.0.1; 0 means any free port
	Durable bool   // commits survive a crash of the machine; otherwise only of the process

	Connections int // maximum number of connections; 0 means 300

	Settings []string // further settings of the server, such as wal_level=replica; they win over those of this package
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

// Start starts the server of a folder and returns when it accepts connections. It first stops a server that an earlier process
// left running on the folder. Error texts are sentences for the user at the terminal.
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
	if err := f.cleanUp(ctx); err != nil {
		return nil, err
	}
	return f.serve(ctx, c, password)
}

// attempts is the maximum number of attempts with a free port: another program may take the port before the server listens.
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

// URL returns the connection URL of a database for the superuser.
func (c *Cluster) URL(database string) string { return c.LoginURL(superuser, c.password, database) }

// LoginURL returns the connection URL of a database for a login.
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

// Password returns the superuser's password. It is stored in the folder, readable only by the owner.
func (c *Cluster) Password() string { return c.password }

// Done returns a channel that is closed when the server has ended for any reason.
func (c *Cluster) Done() <-chan struct{} { return c.process.Done() }

// Stop shuts the server down: it rolls back open transactions and flushes data to disk. It may be called twice.
func (c *Cluster) Stop() error { return c.process.end(fast) }

// Kill ends the server immediately, as a crash would. The next start recovers committed data.
func (c *Cluster) Kill() error { return c.process.end(immediate) }

// readyPause is the polling interval while the server starts.
const readyPause = 10 * time.Millisecond

// startingUp is the SQLSTATE of connection attempts during recovery.
const startingUp = "57P03"

// ready waits until the server accepts a login. Recovery after a crash may take long; the context limits it.
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

// Temporary starts a server in a temporary folder. The folder is removed by Stop, or when this process ends for any reason.
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

// plainly returns an error with a complete sentence for the user.
func plainly(sentence string, args ...any) error { return fmt.Errorf(sentence, args...) }
