package postgres

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

// A Tx is an open transaction. It ends when the function it was given to returns.
//
// BEGIN costs no round trip: it is sent with the first statement. Queued statements are sent with the next one, and COMMIT with
// the last one if that is known to be the last.
type Tx struct {
	*span
	last bool // commit together with the next statement
}

// A span is a connection during one transaction.
type span struct {
	conn      *pgxpool.Conn
	role      string
	tenant    string    // in hex, or ""
	ahead     pgx.Batch // queued statements
	sent      bool      // at least one statement was sent, after BEGIN unless it was the whole transaction
	chained   bool      // Chain was called
	committed bool
	broken    error
	after     []hook // in order of registration
}

// Exec runs a statement that returns no rows.
func (t Tx) Exec(ctx context.Context, sql string, args ...any) (tag pgconn.CommandTag, err error) {
	var b pgx.Batch
	b.Queue(sql, args...).Exec(func(done pgconn.CommandTag) error { tag = done; return nil })
	err = t.SendBatch(ctx, &b)
	return tag, err
}

// Query runs a statement and returns its rows. They must be read to the end before the next statement; pgx.CollectRows does
// that.
func (t Tx) Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error) {
	var b pgx.Batch
	b.Queue(sql, args...)
	results := t.send(ctx, &b)
	found, err := results.Query()
	return &rows{Rows: found, end: func() error { return t.end(results) }}, err
}

// QueryRow runs a statement and returns its first row.
func (t Tx) QueryRow(ctx context.Context, sql string, args ...any) pgx.Row {
	found, _ := t.Query(ctx, sql, args...)
	return row{found}
}

// SendBatch runs several statements in one round trip, and their callbacks.
func (t Tx) SendBatch(ctx context.Context, b *pgx.Batch) error { return t.end(t.send(ctx, b)) }

// send sends statements, after BEGIN and the queued ones, and before COMMIT. It reads the results of those before b.
func (t Tx) send(ctx context.Context, b *pgx.Batch) pgx.BatchResults {
	if t.broken != nil {
		return pgx.FailedBatchResults(b, t.broken)
	}
	if t.sent && t.conn.Conn().PgConn().TxStatus() == idle {
		return pgx.FailedBatchResults(b, errOver)
	}
	var all pgx.Batch
	whole := t.last && !t.sent && !t.chained // one batch is one transaction, without BEGIN and COMMIT
	if !t.sent && !whole {
		all.Queue(`BEGIN`)
	}
	if !t.sent {
		t.settings(&all)
	}
	all.QueuedQueries = append(all.QueuedQueries, t.ahead.QueuedQueries...)
	ahead := len(all.QueuedQueries)
	all.QueuedQueries = append(all.QueuedQueries, b.QueuedQueries...)
	if t.last && !whole {
		all.Queue(`COMMIT`).Exec(committing)
	}
	t.ahead, t.sent = pgx.Batch{}, true
	results := t.conn.SendBatch(ctx, &all)
	for range ahead {
		tag, err := results.Exec()
		if err == nil && tag.String() == "ROLLBACK" { // of a chain, after a failed statement
			err = errRolledBack
		}
		if err != nil {
			t.broken = err // queued statements counted as executed, so the transaction cannot continue
			break
		}
	}
	return results
}

// end reads the remaining results, including that of COMMIT.
func (t Tx) end(results pgx.BatchResults) error {
	err := results.Close()
	if t.last && err == nil {
		t.committed = true
	}
	return err
}

// rows are the rows of a statement. Closing them reads the results after them, and returns their error.
type rows struct {
	pgx.Rows
	end func() error
	err error
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
	r.err = r.end()
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

// Queue sends a statement together with the next one, or with the commit, which also returns its error.
func (t Tx) Queue(sql string, args ...any) { t.ahead.Queue(sql, args...) }

// AsyncCommit turns synchronous_commit off for this transaction: the commit does not wait for the WAL flush and may be lost if
// the server crashes. Use it only for work that is safe to repeat.
func (t Tx) AsyncCommit() { t.Queue(`SELECT set_config('synchronous_commit', 'off', true)`) }

// Chain commits what was sent and queued so far, and begins another transaction with the same rights, in the round trip of the next
// statement. A later error cannot undo the first transaction. Hooks run after the last one.
func (t Tx) Chain() {
	t.chained = true
	t.Queue(`COMMIT AND CHAIN`)
	t.settings(&t.ahead)
}

// settings end with the transaction, and each has all of them, whatever an earlier one left on the connection.
func (s *span) settings(b *pgx.Batch) {
	b.Queue(`SELECT set_config('role', $1, true), set_config('app.tenant_id', $2, true)`, s.role, s.tenant)
}

// Last makes the next statement or batch the last one: the transaction commits in the same round trip if it succeeds. Later
// errors cannot undo the commit: if f then returns an error, the data stays committed and hooks do not run.
func (t Tx) Last() Tx {
	t.last = true
	return t
}

// Now returns the database's time, which decides about expiry.
func (t Tx) Now(ctx context.Context) (now time.Time, err error) {
	err = t.QueryRow(ctx, `SELECT platform.now()`).Scan(&now)
	return now, err
}

var (
	errOver       = errors.New("postgres: the transaction has ended")
	errRolledBack = errors.New("postgres: an earlier statement failed, so the transaction was rolled back")
)

// idle is the transaction status of a connection outside a transaction.
const idle = 'I'

// commit commits the transaction, unless its last statement has done so or it has sent no statement.
func (t Tx) commit(ctx context.Context) error {
	if t.committed || !t.sent && len(t.ahead.QueuedQueries) == 0 {
		return nil
	}
	return t.Last().SendBatch(ctx, &pgx.Batch{})
}

// committing returns an error if the commit was a rollback, because an earlier statement had failed.
func committing(tag pgconn.CommandTag) error {
	if tag.String() != "COMMIT" {
		return errRolledBack
	}
	return nil
}
