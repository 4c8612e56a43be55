package pgtest

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	migrations "melmastoon.ghasi.io/schemas/postgres"
	"melmastoon.ghasi.io/shared/local/cluster"
	"melmastoon.ghasi.io/shared/local/setup"
	"melmastoon.ghasi.io/shared/platform/env"
)

// A host is the server that a test process uses, with its template database.
type host struct {
	admin    url.URL
	template string
}

// server returns the host of this process, started by the first test that needs it. It runs until the process ends, because a
// package cannot detect the end of its last test.
var server = sync.OnceValues(func() (*host, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	address, err := find(ctx)
	if err != nil {
		return nil, err
	}
	return newHost(ctx, address)
})

// newHost prepares the server at the superuser's address for databases of tests.
func newHost(ctx context.Context, address string) (*host, error) {
	admin, err := url.Parse(address)
	if err != nil {
		return nil, fmt.Errorf("invalid address of the test server: %w", err)
	}
	h := &host{admin: *admin}
	return h, h.makeTemplate(ctx)
}

// find returns the URL of the server that all test processes share (PGTEST_URL), or starts a private one.
func find(ctx context.Context) (string, error) {
	var c struct {
		URL string `env:"PGTEST_URL"` // a superuser's
	}
	if err := env.System().Load(&c); err != nil {
		return "", err
	}
	if c.URL != "" {
		return c.URL, nil
	}
	private, err := cluster.Temporary(ctx)
	if err != nil {
		return "", err
	}
	return private.URL("postgres"), nil
}

// makeTemplate creates the template database, once for all processes on the server: its name contains a hash of the migrations.
// The lock also prevents two processes from creating the same role concurrently.
func (h *host) makeTemplate(ctx context.Context) (err error) {
	if h.template, err = templateName(); err != nil {
		return err
	}
	conn, err := pgx.Connect(ctx, h.at("postgres"))
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	if _, err := conn.Exec(ctx, `SELECT pg_advisory_lock(hashtextextended('pgtest', 0))`); err != nil {
		return err
	}
	var made bool
	err = conn.QueryRow(ctx, `SELECT EXISTS (SELECT FROM pg_database WHERE datname = $1)`, h.template).Scan(&made)
	if err != nil || made {
		return err
	}
	draft := h.template + "_draft"
	if err := each(ctx, conn, `DROP DATABASE IF EXISTS `+draft, `CREATE DATABASE `+draft+` TEMPLATE template0`); err != nil {
		return err
	}
	if err := h.fill(ctx, draft); err != nil {
		return err
	}
	return each(ctx, conn, `ALTER DATABASE `+draft+` RENAME TO `+h.template)
}

func (h *host) fill(ctx context.Context, database string) (err error) {
	conn, err := pgx.Connect(ctx, h.at(database))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, conn.Close(ctx)) }()
	password, _ := h.admin.User.Password()
	return setup.Database(ctx, conn, migrations.Files, Login, password)
}

func (h *host) at(database string) string {
	u := h.admin
	u.Path = "/" + database
	return u.String()
}

func each(ctx context.Context, conn *pgx.Conn, statements ...string) error {
	for _, s := range statements {
		if _, err := conn.Exec(ctx, s); err != nil {
			return fmt.Errorf("%s: %w", s, err)
		}
	}
	return nil
}

func templateName() (string, error) {
	sum := sha256.New()
	err := fs.WalkDir(migrations.Files, ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := fs.ReadFile(migrations.Files, path)
		fmt.Fprintf(sum, "%s %d\n%s", path, len(text), text)
		return err
	})
	return "pgtest_" + hex.EncodeToString(sum.Sum(nil)[:8]), err
}
