// Package migrate applies and reverts the schema migrations of a service.
//
// A service's steps are numbered pairs of files, <service>/NNNN_name.{up,down}.sql. The applied steps are recorded in
// the service's own schema. A step and its record commit in one transaction, so an interrupted run can be repeated. Code must
// work before and after a step, and concurrently with its previous version.
package migrate

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"

	"github.com/jackc/pgx/v5"
)

// Up applies the pending steps of a service. Concurrent runs wait for each other.
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

// Down reverts the given number of latest steps of a service. With the last step it also drops the schema, and fails if the
// schema is not empty: then a down file does not revert all of its up file.
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

// Pending returns the names of the steps that Up would apply.
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

// Unknown returns the applied steps of a service that its files no longer contain: another release has applied them.
func Unknown(ctx context.Context, conn *pgx.Conn, fsys fs.FS, service string) ([]string, error) {
	all, err := read(fsys, service)
	if err != nil {
		return nil, err
	}
	versions, err := applied(ctx, conn, service)
	if err != nil {
		return nil, err
	}
	for _, s := range all {
		delete(versions, s.version)
	}
	return slices.Sorted(maps.Keys(versions)), nil
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

// locked calls f under the database's migration lock. If the unlock fails, the lock ends with the connection.
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

// applied reads the applied steps of a service. It returns no steps if the service has no table of them yet.
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
