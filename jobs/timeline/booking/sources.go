package booking

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
)

// A Source is the database of a timeline.
type Source interface {
	// Tables returns the existing tables that may be read, as schema.table.
	Tables(context.Context) ([]string, error)
	// Read runs f with the right to read the tables of a schema.
	Read(ctx context.Context, schema string, f func(Querier) error) error
}

// A Querier runs queries: a connection or a transaction.
type Querier interface {
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
}

// An Owner is the connection of a login that reads all rows, such as the superuser of the local cloud.
type Owner struct{ *pgx.Conn }

// Tables returns all tables.
func (o Owner) Tables(ctx context.Context) ([]string, error) {
	rows, _ := o.Query(ctx, `SELECT schemaname || '.' || tablename FROM pg_catalog.pg_tables`)
	return pgx.CollectRows(rows, pgx.RowTo[string])
}

// Read runs f with the connection.
func (o Owner) Read(_ context.Context, _ string, f func(Querier) error) error { return f(o.Conn) }

// A Log finds the log lines of calls.
type Log interface {
	// Lines returns lines of the functions' log, at least those that the search selects.
	Lines(context.Context, Search) (io.Reader, error)
}

// A Search selects log lines: those of calls that began after Since and have one of the ids.
type Search struct {
	Since    time.Time
	Paths    []string // ids in the path of the request
	Events   []string // ids of consumed events
	Requests []string
	Traces   []string
}

// ids returns the number of ids.
func (s Search) ids() int { return len(s.Paths) + len(s.Events) + len(s.Requests) + len(s.Traces) }

// Whole returns the log that is read to its end by the first search.
func Whole(lines io.Reader) Log { return &whole{lines} }

type whole struct{ rest io.Reader }

// Lines returns all lines, and none if they were returned before.
func (w *whole) Lines(context.Context, Search) (io.Reader, error) {
	lines := w.rest
	w.rest = strings.NewReader("")
	return lines, nil
}

// query runs a query in a schema and calls f for each row, whose values are in targets.
func (t *collector) query(ctx context.Context, schema, sql string, args pgx.NamedArgs, targets []any, f func() error) error {
	return t.data.Read(ctx, schema, func(q Querier) error {
		rows, _ := q.Query(ctx, sql, args)
		_, err := pgx.ForEachRow(rows, targets, f)
		return err
	})
}

// search reads the lines of a search and adds their calls.
func (t *collector) search(ctx context.Context, s Search) error {
	if t.log == nil || s.ids() == 0 && !t.all {
		return nil
	}
	lines, err := t.log.Lines(ctx, s)
	if err != nil {
		return fmt.Errorf("timeline: log: %w", err)
	}
	calls, err := readLog(lines)
	for _, c := range calls {
		if !t.seen[c] {
			t.seen[c], t.calls = true, append(t.calls, c)
		}
	}
	return err
}
