package postgres

import (
	"cmp"
	"context"
	"encoding/hex"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"melmastoon.ghasi.io/shared/id"
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
	scope     scope
	ahead     pgx.Batch // queued statements
	sent      bool      // at least one statement was sent, after BEGIN unless it was the whole transaction
	committed bool
	broken    error
	after     []hook // in order of registration
}

// Exec runs a statement that returns no rows.
func (t Tx) Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error) {
	results := t.SendBatch(ctx, single(sql, args))
	tag, err := results.Exec()
	return tag, cmp.Or(err, results.Close())
}

// Query runs a statement and returns its rows. They must be read to the end before the next statement; pgx.CollectRows does
// that.
func (t Tx) Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error) {
	results := t.SendBatch(ctx, single(sql, args))
	found, err := results.Query()
	return &rows{Rows: found, end: results}, err
}

// QueryRow runs a statement and returns its first row.
func (t Tx) QueryRow(ctx context.Context, sql string, args ...any) pgx.Row {
	found, _ := t.Query(ctx, sql, args...)
	return row{found}
}

// SendBatch runs several statements in one round trip. The results must be closed.
func (t Tx) SendBatch(ctx context.Context, b *pgx.Batch) pgx.BatchResults {
	if err := t.usable(); err != nil {
		return refusal{err}
	}
	var all pgx.Batch
	whole := t.last && !t.sent // one batch is one transaction, without BEGIN and COMMIT
	if !t.sent {
		t.scope.begin(&all, whole)
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
		if _, err := results.Exec(); err != nil {
			t.broken = err // queued statements counted as executed, so the transaction cannot continue
			break
		}
	}
	if t.last {
		return ending{results, t.span}
	}
	return results
}

// Queue sends a statement together with the next one, or with the commit, which also returns its error.
func (t Tx) Queue(sql string, args ...any) { t.ahead.Queue(sql, args...) }

// AsyncCommit turns synchronous_commit off for this transaction: the commit does not wait for the WAL flush and may be lost if
// the server crashes. Use it only for work that is safe to repeat.
func (t Tx) AsyncCommit() { t.Queue(`SELECT set_config('synchronous_commit', 'off', true)`) }

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

// A scope holds the rights of a transaction: a role, and perhaps a tenant.
type scope struct {
	role   string
	tenant id.Tenant
}

// begin queues BEGIN and the settings of the scope. They end with the transaction. Each transaction has all of them, so it does
// not depend on what an earlier one left on the connection.
func (s scope) begin(b *pgx.Batch, whole bool) {
	if !whole {
		b.Queue(`BEGIN`)
	}
	tenant := ""
	if !s.tenant.IsZero() {
		tenant = hex.EncodeToString(s.tenant[:])
	}
	b.Queue(`SELECT set_config('role', $1, true), set_config('app.tenant_id', $2, true)`, s.role, tenant)
}

var (
	errOver       = errors.New("postgres: the transaction has ended")
	errRolledBack = errors.New("postgres: an earlier statement failed, so the transaction was rolled back")
)

// idle is the transaction status of a connection outside a transaction.
const idle = 'I'

// usable returns an error if a statement would not run inside the transaction, because it has failed or ended.
func (s *span) usable() error {
	switch {
	case s.broken != nil:
		return s.broken
	case s.sent && s.conn.Conn().PgConn().TxStatus() == idle:
		return errOver
	}
	return nil
}

// commit commits the transaction, unless its last statement has done so or it has sent no statement.
func (t Tx) commit(ctx context.Context) error {
	if t.committed || !t.sent && len(t.ahead.QueuedQueries) == 0 {
		return nil
	}
	return t.Last().SendBatch(ctx, &pgx.Batch{}).Close()
}

// committing returns an error if the commit was a rollback, because an earlier statement had failed.
func committing(tag pgconn.CommandTag) error {
	if tag.String() != "COMMIT" {
		return errRolledBack
	}
	return nil
}
