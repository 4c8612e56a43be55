package postgres

import (
	"cmp"
	"io"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"
)

func single(sql string, args []any) *pgx.Batch {
	b := &pgx.Batch{}
	b.Queue(sql, args...)
	return b
}

// rows are the rows of a statement that was sent together with a commit. Closing them reads the commit's result and returns its
// error.
type rows struct {
	pgx.Rows
	end io.Closer
	err error // of the statements sent before it
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
	r.err = r.end.Close()
}

func (r *rows) Err() error { return cmp.Or(r.Rows.Err(), r.err) }

// row is the first of rows.
type row struct{ rows pgx.Rows }

func (r row) Scan(dest ...any) error {
	if !r.rows.Next() {
		return cmp.Or(r.rows.Err(), pgx.ErrNoRows)
	}
	err := r.rows.Scan(dest...)
	r.rows.Close()
	return cmp.Or(err, r.rows.Err())
}

// ending is the result of a batch that was sent with the commit.
type ending struct {
	pgx.BatchResults
	span *span
}

// Close reads the remaining results, including that of the commit.
func (e ending) Close() error {
	err := e.BatchResults.Close()
	e.span.committed = err == nil
	return err
}

// A refusal is the result of a batch that was not sent.
type refusal struct{ err error }

func (r refusal) Exec() (pgconn.CommandTag, error) { return pgconn.CommandTag{}, r.err }
func (r refusal) Query() (pgx.Rows, error)         { return none{r.err}, r.err }
func (r refusal) QueryRow() pgx.Row                { return none{r.err} }
func (r refusal) Close() error                     { return r.err }
func (r refusal) Tx() pgx.Tx                       { return nil }

// none is an empty result with an error.
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
