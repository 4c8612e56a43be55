// Package migrate brings the tables of a service up to date, and back.
//
// A service's steps are numbered pairs of files, postgres/<service>/NNNN_name.{up,down}.sql, and what has been
// applied is written down in the service's own schema. Each step is one transaction together with its entry, so a
// run that is cut off is simply run again. Code must work before a step, after it, and beside its older self.
package migrate

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/jackc/pgx/v5"
)

// Up applies the steps of a service that have not been applied yet. Runs at the same moment wait for one another.
func Up(ctx context.Context, conn *pgx.Conn, fsys fs.FS, service string) error {
	return locked(ctx, conn, func() error {
		todo, err := pending(ctx, conn, fsys, service)
		if err != nil {
			return err
		}
		for _, s := range todo {
			if err := s.up(ctx, conn); err != nil {
				return err
			}
		}
		return nil
	})
}

// Down takes back the latest steps of a service, as many as are asked for. With the last one its schema goes too,
// and it is an error when anything is left in it: then a down file forgets what its up file made.
func Down(ctx context.Context, conn *pgx.Conn, fsys fs.FS, service string, steps int) error {
	return locked(ctx, conn, func() error {
		all, err := read(fsys, service)
		if err != nil {
			return err
		}
		applied, err := applied(ctx, conn, service)
		if err != nil {
			return err
		}
		for i := len(all) - 1; i >= 0 && steps > 0; i-- {
			if !applied[all[i].version] {
				continue
			}
			delete(applied, all[i].version)
			steps--
			if err := all[i].down(ctx, conn, len(applied) == 0); err != nil {
				return err
			}
		}
		return nil
	})
}

// Pending names the steps that Up would apply now.
func Pending(ctx context.Context, conn *pgx.Conn, fsys fs.FS, service string) ([]string, error) {
	todo, err := pending(ctx, conn, fsys, service)
	if err != nil {
		return nil, err
	}
	names := make([]string, len(todo))
	for i, s := range todo {
		names[i] = s.name
	}
	return names, nil
}

func pending(ctx context.Context, conn *pgx.Conn, fsys fs.FS, service string) ([]step, error) {
	all, err := read(fsys, service)
	if err != nil {
		return nil, err
	}
	applied, err := applied(ctx, conn, service)
	if err != nil {
		return nil, err
	}
	var todo []step
	for _, s := range all {
		if !applied[s.version] {
			todo = append(todo, s)
		}
	}
	return todo, nil
}

// locked keeps everyone else out of the database's schemas meanwhile. The lock goes with the connection if need be.
func locked(ctx context.Context, conn *pgx.Conn, f func() error) (err error) {
	const key = `hashtextextended('melmastoon.migrate', 0)`
	if _, err := conn.Exec(ctx, `SELECT pg_advisory_lock(`+key+`)`); err != nil {
		return fmt.Errorf("migrate: lock: %w", err)
	}
	defer func() {
		_, unlock := conn.Exec(context.WithoutCancel(ctx), `SELECT pg_advisory_unlock(`+key+`)`)
		if !conn.IsClosed() {
			err = errors.Join(err, unlock)
		}
	}()
	return f()
}

// applied reads the ledger. A service without one has nothing applied.
func applied(ctx context.Context, conn *pgx.Conn, service string) (map[string]bool, error) {
	table := pgx.Identifier{service, ledger}.Sanitize()
	var exists bool
	if err := conn.QueryRow(ctx, `SELECT to_regclass($1) IS NOT NULL`, table).Scan(&exists); err != nil {
		return nil, fmt.Errorf("migrate: %s: %w", service, err)
	}
	if !exists {
		return map[string]bool{}, nil
	}
	rows, _ := conn.Query(ctx, `SELECT version FROM `+table)
	versions, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return nil, fmt.Errorf("migrate: %s: %w", service, err)
	}
	set := make(map[string]bool, len(versions))
	for _, v := range versions {
		set[v] = true
	}
	return set, nil
}
