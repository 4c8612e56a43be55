package postgres

import (
	"cmp"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"
)

func single(sql string, args []any) *pgx.Batch {
	b := &pgx.Batch{}
	b.Queue(sql, args...)
	return b
}

// rows are those of a statement that did not go out alone. Closing them reads the rest of the answer, so that a commit
// that failed is an error of theirs.
type rows struct {
	pgx.Rows
	results pgx.BatchResults
	err     error // of what came with the statement
}

func (r *rows) Next() bool {
	if r.Rows.Next() {
		return true
	}
	r.Close()
	return false
}

func (r *rows) Close() {
	r.Rows.Close()
	r.err = r.results.Close()
}

func (r *rows) Err() error { return cmp.Or(r.Rows.Err(), r.err) }

// row is the first of such rows.
type row struct {
	found   pgx.Row
	results pgx.BatchResults
}

func (r row) Scan(dest ...any) error {
	err := r.found.Scan(dest...)
	return cmp.Or(err, r.results.Close())
}

// ending is the answer to what went out with the commit.
type ending struct {
	pgx.BatchResults
	span *span
}

// Close reads the rest of the answer, and with it how the commit ended.
func (e ending) Close() error {
	err := e.BatchResults.Close()
	e.span.committed = err == nil
	return err
}

// A refusal is the answer to a batch that was not sent.
type refusal struct{ err error }

func (r refusal) Exec() (pgconn.CommandTag, error) { return pgconn.CommandTag{}, r.err }
func (r refusal) Query() (pgx.Rows, error)         { return none{r.err}, r.err }
func (r refusal) QueryRow() pgx.Row                { return none{r.err} }
func (r refusal) Close() error                     { return r.err }
func (r refusal) Tx() pgx.Tx                       { return nil }

// none are no rows, because of an error.
type none struct{ err error }

func (n none) Close()                                       {}
func (n none) Err() error                                   { return n.err }
func (n none) CommandTag() pgconn.CommandTag                { return pgconn.CommandTag{} }
func (n none) FieldDescriptions() []pgconn.FieldDescription { return nil }
func (n none) Next() bool                                   { return false }
func (n none) Scan(...any) error                            { return n.err }
func (n none) Values() ([]any, error)                       { return nil, n.err }
func (n none) RawValues() [][]byte                          { return nil }
func (n none) Conn() *pgx.Conn                              { return nil }
func (n none) TypeMap() *pgtype.Map                         { return nil }
