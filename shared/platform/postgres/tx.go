package postgres

import (
	"cmp"
	"context"
	"encoding/hex"
	"errors"
	"slices"
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

// Exec runs a statement that returns no rows.
func (t Tx) Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error) {
	if t.alone() {
		sql, args = t.outgoing(sql, args)
		tag, err := t.conn.Exec(ctx, sql, args...)
		t.committed = t.last && err == nil
		return tag, err
	}
	results := t.SendBatch(ctx, single(sql, args))
	tag, err := results.Exec()
	return tag, cmp.Or(err, results.Close())
}

// Query runs a statement and returns its rows. They must be read to the end before the next statement; pgx.CollectRows does
// that.
func (t Tx) Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error) {
	if t.alone() {
		sql, args = t.outgoing(sql, args)
		found, err := t.conn.Query(ctx, sql, args...)
		if t.last {
			found = &rows{Rows: found, end: sole{found, t.span}}
		}
		return found, err
	}
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
	ahead := len(all.QueuedQueries) + len(t.ahead.QueuedQueries)
	for _, q := range slices.Concat(t.ahead.QueuedQueries, b.QueuedQueries) {
		q.SQL, q.Arguments = t.outgoing(q.SQL, q.Arguments)
		all.QueuedQueries = append(all.QueuedQueries, q)
	}
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
func (t Tx) AsyncCommit() { t.Queue(forgetting) }

const forgetting = `SELECT set_config('synchronous_commit', 'off', true)`

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

// AfterCommit calls f after the commit, when the connection is free again and before InTx returns; never after a rollback. Of
// several hooks with the same key only the first runs, with the about values of all of them. An error in f does not affect the
// transaction.
func (t Tx) AfterCommit(key string, f func(ctx context.Context, about []string), about ...string) {
	i := slices.IndexFunc(t.after, func(h hook) bool { return h.key == key })
	if i < 0 {
		i, t.after = len(t.after), append(t.after, hook{key: key, run: f})
	}
	t.after[i].about = append(t.after[i].about, about...)
}

// A hook runs after the commit.
type hook struct {
	key   string
	about []string
	run   func(context.Context, []string)
}

// A scope is what differs from the connection's defaults, which are the application role and no tenant.
type scope struct {
	role   string
	tenant id.Tenant
}

// begin queues BEGIN and the settings of the scope. The settings end with the transaction.
func (s scope) begin(b *pgx.Batch, whole bool) {
	if !whole {
		b.Queue(`BEGIN`)
	}
	if s.role != "" {
		b.Queue(`SELECT set_config('role', $1, true)`, s.role)
	}
	if !s.tenant.IsZero() {
		b.Queue(`SELECT set_config('app.tenant_id', $1, true)`, hex.EncodeToString(s.tenant[:]))
	}
}

func (d *DB) run(ctx context.Context, s scope, f func(Tx) error) error {
	pool, err := d.pool()
	if err != nil {
		return err
	}
	shared := poolsOf(d.env)
	conn, err := shared.acquire(ctx, pool)
	if err != nil {
		return outage(ctx, err, true)
	}
	t := Tx{span: &span{conn: conn, give: func() { shared.release(ctx, conn, pool) }, scope: s}}
	if err := finish(ctx, t, f); err != nil {
		return err
	}
	for _, h := range t.after {
		h.run(ctx, h.about)
	}
	return nil
}

// finish releases the connection in every case, including a panic.
func finish(ctx context.Context, t Tx, f func(Tx) error) error {
	defer t.release(ctx)
	err := f(t)
	if err == nil {
		err = t.commit(ctx)
	}
	if err != nil {
		return outage(ctx, err, t.conn.Conn().IsClosed())
	}
	return nil
}

// A span is a connection during one transaction.
type span struct {
	conn      *pgxpool.Conn
	give      func() // releases conn
	scope     scope
	ahead     pgx.Batch // sent with the next statement
	sent      bool      // BEGIN and at least one statement were sent
	stained   bool      // a statement may have left session state
	committed bool
	broken    error
	after     []hook // in order of registration
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

// alone reports whether a statement is sent by itself: in the middle of a transaction, or as the whole of a transaction without
// settings.
func (t Tx) alone() bool {
	switch {
	case len(t.ahead.QueuedQueries) > 0 || t.usable() != nil:
		return false
	case t.sent:
		return !t.last
	}
	return t.last && t.scope == (scope{})
}

// outgoing returns the statement and arguments to send.
func (s *span) outgoing(sql string, args []any) (string, []any) {
	s.sent, s.stained = true, s.stained || leavesState(sql)
	return number(sql, args)
}

// commit commits the transaction, unless its last statement has done so or it has sent no statement.
func (t Tx) commit(ctx context.Context) error {
	if t.committed || !t.sent && len(t.ahead.QueuedQueries) == 0 {
		return nil
	}
	if !t.sent || len(t.ahead.QueuedQueries) > 0 {
		return t.Last().SendBatch(ctx, &pgx.Batch{}).Close()
	}
	if err := t.usable(); err != nil {
		return err
	}
	tag, err := t.conn.Exec(ctx, `COMMIT`)
	return cmp.Or(err, committing(tag))
}

// committing returns an error if the commit was a rollback, because an earlier statement had failed.
func committing(tag pgconn.CommandTag) error {
	if tag.String() != "COMMIT" {
		return errRolledBack
	}
	return nil
}

// rollbackTime bounds a rollback beyond the request's own deadline, so that the connection can be reused.
const rollbackTime = time.Second

// release rolls back an uncommitted transaction and returns the connection in its initial state. If that fails, or is uncertain,
// it closes the connection.
func (s *span) release(ctx context.Context) {
	defer s.give()
	c := s.conn.Conn()
	if c.IsClosed() || c.PgConn().TxStatus() == idle && !s.stained {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), rollbackTime)
	defer cancel()
	if s.stained {
		_ = c.Close(ctx)
		return
	}
	_, _ = s.conn.Exec(ctx, `ROLLBACK`)
}
