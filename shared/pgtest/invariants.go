package pgtest

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/jackc/pgx/v5"

	"melmastoon.ghasi.io/test/invariants"
)

// Breaches runs every query of test/invariants and describes each row it finds. It may be asked at any moment, from
// any connection that sees everything. One query that fails does not keep the others from being asked.
func Breaches(ctx context.Context, conn *pgx.Conn) (found []string, err error) {
	names, err := fs.Glob(invariants.SQL, "*.sql")
	for _, name := range names {
		rows, failed := ask(ctx, conn, name)
		err = errors.Join(err, failed)
		for _, row := range rows {
			found = append(found, fmt.Sprintf("%s: %v", name, row))
		}
	}
	return found, err
}

func ask(ctx context.Context, conn *pgx.Conn, name string) ([]map[string]any, error) {
	query, err := fs.ReadFile(invariants.SQL, name)
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
