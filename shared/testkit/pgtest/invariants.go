package pgtest

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/jackc/pgx/v5"

	"melmastoon.ghasi.io/test/invariants"
)

// Violations runs the queries of test/invariants that must hold at any time and returns a description of each row found. The
// connection must bypass row-level security.
func Violations(ctx context.Context, conn *pgx.Conn) ([]string, error) {
	return violations(ctx, conn, invariants.SQL, "*.sql")
}

// Unsettled is like Breaches, for invariants that must hold when nothing is in flight.
func Unsettled(ctx context.Context, conn *pgx.Conn) ([]string, error) {
	return violations(ctx, conn, invariants.Settled, "settled/*.sql")
}

// violations runs all queries, even if one fails.
func violations(ctx context.Context, conn *pgx.Conn, rules fs.FS, pattern string) (found []string, err error) {
	names, err := fs.Glob(rules, pattern)
	if len(names) == 0 {
		err = errors.Join(err, fmt.Errorf("no invariants in %s", pattern))
	}
	for _, name := range names {
		rows, failed := ask(ctx, conn, rules, name)
		err = errors.Join(err, failed)
		for _, row := range rows {
			found = append(found, fmt.Sprintf("%s: %v", name, row))
		}
	}
	return found, err
}

func ask(ctx context.Context, conn *pgx.Conn, rules fs.FS, name string) ([]map[string]any, error) {
	query, err := fs.ReadFile(rules, name)
	if err != nil {
		return nil, err
	}
	rows, _ := conn.Query(ctx, string(query))
	broken, err := pgx.CollectRows(rows, pgx.RowToMap)
	if err != nil {
		return nil, fmt.Errorf("invariant %s: %w", name, err)
	}
	return broken, nil
}
