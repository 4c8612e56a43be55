// Package setup prepares databases for local runs and tests, never for production.
package setup

import (
	"context"
	"fmt"
	"io/fs"
	"strings"

	"github.com/jackc/pgx/v5"

	"melmastoon.ghasi.io/shared/platform/postgres/migrate"
)

// Database prepares a database for a local run or tests: the steps of all services, the movable clock, and one login that all
// functions share. It may run at every start. It refuses a database that a release with other migrations has prepared.
func Database(ctx context.Context, conn *pgx.Conn, fsys fs.FS, login, password string) error {
	services, err := migrate.Services(fsys)
	if err != nil {
		return err
	}
	for _, s := range services {
		old, err := migrate.Unknown(ctx, conn, fsys, s)
		if err != nil {
			return err
		}
		if len(old) > 0 {
			return fmt.Errorf("the data of an earlier run has migrations of %s that no longer exist (%s): delete it with ./scripts/run --fresh",
				s, strings.Join(old, ", "))
		}
		if err := migrate.Up(ctx, conn, fsys, s); err != nil {
			return err
		}
	}
	if err := MovableClock(ctx, conn, fsys); err != nil {
		return err
	}
	if err := logIn(ctx, conn, login, password); err != nil {
		return err
	}
	return migrate.Admit(ctx, conn, login, services...)
}

// logIn creates a login for functions where no cloud does that, or resets its password. The login itself has no rights: each
// transaction sets one role, and the login inherits none.
func logIn(ctx context.Context, conn *pgx.Conn, name, password string) error {
	who := pgx.Identifier{name}.Sanitize()
	var quoted string
	var exists bool
	err := conn.QueryRow(ctx, `SELECT quote_literal(@password), EXISTS (SELECT FROM pg_roles WHERE rolname = @name)`,
		pgx.StrictNamedArgs{"password": password, "name": name}).Scan(&quoted, &exists)
	if err != nil {
		return fmt.Errorf("setup: login %s: %w", name, err)
	}
	verb := `CREATE ROLE `
	if exists {
		verb = `ALTER ROLE `
	}
	if _, err := conn.Exec(ctx, verb+who+` LOGIN NOINHERIT NOSUPERUSER NOCREATEDB NOCREATEROLE PASSWORD `+quoted); err != nil {
		return fmt.Errorf("setup: login %s: %w", name, err)
	}
	return nil
}
