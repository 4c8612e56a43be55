package migrate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

const (
	platform = "platform"          // schema of the clock that all defaults use
	ledger   = "schema_migrations" // one per service, in its own schema
)

// A step is one numbered pair of files. Its number is its version, so it may be renamed.
type step struct {
	service, version, name string
	upSQL, downSQL         string
}

// Other files, such as movable.sql, may be in the same folder.
var file = regexp.MustCompile(`^(\d{4})_([a-z0-9_]+)\.up\.sql$`)

// Services returns the names of the folders that have steps, in the order of application.
func Services(fsys fs.FS) ([]string, error) {
	ups, err := fs.Glob(fsys, "*/*.up.sql")
	if err != nil {
		return nil, err
	}
	var services []string
	for _, up := range ups {
		services = append(services, path.Base(path.Dir(up)))
	}
	slices.SortFunc(services, func(a, b string) int {
		return cmp.Or(cmp.Compare(late(a), late(b)), strings.Compare(a, b))
	})
	return slices.Compact(services), nil
}

func late(service string) int {
	if service == platform {
		return 0
	}
	return 1
}

func read(fsys fs.FS, service string) ([]step, error) {
	entries, err := fs.ReadDir(fsys, service)
	if err != nil {
		return nil, fmt.Errorf("migrate: %w", err)
	}
	var steps []step
	for _, e := range entries {
		parts := file.FindStringSubmatch(e.Name())
		if parts == nil {
			continue
		}
		s := step{service: service, version: parts[1], name: parts[1] + "_" + parts[2]}
		if len(steps) > 0 && steps[len(steps)-1].version == s.version {
			return nil, fmt.Errorf("migrate: %s has two steps numbered %s", service, s.version)
		}
		if err := s.load(fsys); err != nil {
			return nil, err
		}
		steps = append(steps, s)
	}
	return steps, nil
}

// load reads both files. Up does not need the down file.
func (s *step) load(fsys fs.FS) error {
	base := path.Join(s.service, s.name)
	up, err := fs.ReadFile(fsys, base+".up.sql")
	if err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	down, err := fs.ReadFile(fsys, base+".down.sql")
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("migrate: %w", err)
	}
	s.upSQL, s.downSQL = string(up), string(down)
	return nil
}

func (s step) ledger() string { return pgx.Identifier{s.service, ledger}.Sanitize() }
func (s step) schema() string { return pgx.Identifier{s.service}.Sanitize() }

func (s step) up(ctx context.Context, conn *pgx.Conn) error {
	return s.within(ctx, conn,
		`CREATE SCHEMA IF NOT EXISTS `+s.schema(),
		`CREATE TABLE IF NOT EXISTS `+s.ledger()+` (version text PRIMARY KEY, applied_at timestamptz NOT NULL DEFAULT clock_timestamp())`,
		s.upSQL,
		`INSERT INTO `+s.ledger()+` (version) VALUES ('`+s.version+`')`,
	)
}

// down reverts the step. It deletes the record first, because the last step's file may drop the schema with the table of
// records.
func (s step) down(ctx context.Context, conn *pgx.Conn, last bool) error {
	if s.downSQL == "" {
		return fmt.Errorf("migrate: %s %s has no down file", s.service, s.name)
	}
	scripts := []string{`DELETE FROM ` + s.ledger() + ` WHERE version = '` + s.version + `'`, s.downSQL}
	if last {
		scripts = append(scripts, `DROP TABLE IF EXISTS `+s.ledger(), `DROP SCHEMA IF EXISTS `+s.schema())
	}
	return s.within(ctx, conn, scripts...)
}

// within runs scripts in one transaction. It fails after a lock timeout rather than block traffic behind a table lock.
func (s step) within(ctx context.Context, conn *pgx.Conn, scripts ...string) error {
	err := pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `SET LOCAL lock_timeout = '5s'`); err != nil {
			return err
		}
		for _, script := range scripts {
			if err := run(ctx, conn.PgConn(), script); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("migrate: %s %s: %w", s.service, s.name, explain(err))
	}
	return nil
}

// run runs a file of several statements.
func run(ctx context.Context, conn *pgconn.PgConn, script string) error {
	if _, err := conn.Exec(ctx, script).ReadAll(); err != nil {
		return err
	}
	if conn.TxStatus() != 'T' {
		return errors.New("the file must not end the transaction; the runner commits")
	}
	return nil
}

// explain adds the detail of a PostgreSQL error, such as the dependent objects.
func explain(err error) error {
	if server, ok := errors.AsType[*pgconn.PgError](err); ok && server.Detail != "" {
		return fmt.Errorf("%w: %s", err, server.Detail)
	}
	return err
}
