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

// A Tx is a transaction that is open now. It ends with the function it was given to.
//
// Its beginning costs no round trip: it goes out with the first statement. So does what is queued, with the next one, and
// the commit, with the last one, if that is known to be the last.
type Tx struct {
	*span
	last bool // the commit goes along with the next statement
}

// Exec runs a statement that returns no rows.
func (t Tx) Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error) {
	if t.alone() {
		sql, args = number(sql, args)
		return t.conn.Exec(ctx, sql, args...)
	}
	results := t.SendBatch(ctx, single(sql, args))
	tag, err := results.Exec()
	return tag, cmp.Or(err, results.Close())
}

// Query runs a statement for its rows. They must be read to the end before the next statement: pgx.CollectRows does.
func (t Tx) Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error) {
	if t.alone() {
		sql, args = number(sql, args)
		return t.conn.Query(ctx, sql, args...)
	}
	results := t.SendBatch(ctx, single(sql, args))
	found, err := results.Query()
	return &rows{Rows: found, results: results}, err
}

// QueryRow runs a statement for its first row.
func (t Tx) QueryRow(ctx context.Context, sql string, args ...any) pgx.Row {
	if t.alone() {
		sql, args = number(sql, args)
		return t.conn.QueryRow(ctx, sql, args...)
	}
	results := t.SendBatch(ctx, single(sql, args))
	return row{results.QueryRow(), results}
}

// SendBatch runs several statements in one round trip. The results must be closed.
func (t Tx) SendBatch(ctx context.Context, b *pgx.Batch) pgx.BatchResults {
	if err := t.usable(); err != nil {
		return refusal{err}
	}
	waiting := t.ahead.QueuedQueries
	whole := t.last && !t.sent
	if whole {
		waiting = waiting[1:] // what is sent as one is one transaction, without BEGIN and COMMIT
	}
	all := &pgx.Batch{QueuedQueries: append(waiting, b.QueuedQueries...)}
	if t.last && !whole {
		all.Queue(`COMMIT`).Exec(committing)
	}
	for _, q := range all.QueuedQueries {
		q.SQL, q.Arguments = number(q.SQL, q.Arguments)
	}
	t.ahead, t.sent = pgx.Batch{}, true
	results := t.conn.SendBatch(ctx, all)
	for range waiting {
		if _, err := results.Exec(); err != nil {
			t.broken = err // what was queued counted as done; nothing may be built on it
			break
		}
	}
	if t.last {
		return ending{results, t.span}
	}
	return results
}

// Queue has a statement go out with the next one, or with the commit. What it breaks is told there.
func (t Tx) Queue(sql string, args ...any) { t.ahead.Queue(sql, args...) }

// Forgettable lets the transaction be lost with the power, which spares waiting for the disk: for what is only done once
// more then.
func (t Tx) Forgettable() { t.Queue(`SELECT set_config('synchronous_commit', 'off', true)`) }

// Last makes the next statement, or batch, the last: the transaction commits in the same round trip, once the statement
// has succeeded. What is decided after it cannot undo it: an error that is returned then leaves what was committed, and
// hooks do not run.
func (t Tx) Last() Tx {
	t.last = true
	return t
}

// Now is the database's clock, which decides what has expired.
func (t Tx) Now(ctx context.Context) (now time.Time, err error) {
	err = t.QueryRow(ctx, `SELECT platform.now()`).Scan(&now)
	return now, err
}

// AfterCommit has f run once the transaction has committed, its connection is free again, and before InTx returns;
// never after a rollback. Of several under one key the first runs, and is given what all of them were about: so everyone
// who writes may ask for the same thing. What f fails at is its own affair: the transaction stands.
func (t Tx) AfterCommit(key string, f func(ctx context.Context, about []string), about ...string) {
	i := slices.IndexFunc(t.after, func(h hook) bool { return h.key == key })
	if i < 0 {
		i, t.after = len(t.after), append(t.after, hook{key: key, run: f})
	}
	t.after[i].about = append(t.after[i].about, about...)
}

// A hook is what runs after a commit.
type hook struct {
	key   string
	about []string
	run   func(context.Context, []string)
}

// A scope is what a transaction may see: as which role, and of which tenant.
type scope struct {
	role   string
	tenant id.Tenant // zero: of none
}

// begin queues the beginning and the scope. Both settings are always made, if only to what they should be anyway: nothing
// that an earlier request left on the connection counts.
func (s scope) begin(b *pgx.Batch) {
	var tenant string
	if !s.tenant.IsZero() {
		tenant = hex.EncodeToString(s.tenant[:])
	}
	b.Queue(`BEGIN`)
	b.Queue(`SELECT set_config('role', $1, true), set_config('app.tenant_id', $2, true)`, s.role, tenant)
}

func (d *DB) run(ctx context.Context, s scope, f func(Tx) error) error {
	pool, err := d.pool()
	if err != nil {
		return err
	}
	conn, err := pool.Acquire(ctx)
	if err != nil {
		return outage(ctx, err, true)
	}
	t := Tx{span: &span{conn: conn}}
	s.begin(&t.ahead)
	if err := finish(ctx, t, f); err != nil {
		return err
	}
	for _, h := range t.after {
		h.run(ctx, h.about)
	}
	return nil
}

// finish gives the connection back in every case, a panic included.
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

// A span is a connection from the beginning of a transaction to its end.
type span struct {
	conn      *pgxpool.Conn
	ahead     pgx.Batch // what goes out with the next statement
	sent      bool      // a statement has gone out, and the beginning with it
	committed bool
	broken    error
	after     []hook // in the order they were asked for
}

var (
	errOver       = errors.New("postgres: the transaction has ended")
	errRolledBack = errors.New("postgres: an earlier statement failed, so the transaction was rolled back")
)

// idle is what a connection says of itself outside any transaction.
const idle = 'I'

// usable says whether a statement would run inside the transaction: one that was begun and has not ended.
func (s *span) usable() error {
	switch {
	case s.broken != nil:
		return s.broken
	case s.sent && s.conn.Conn().PgConn().TxStatus() == idle:
		return errOver
	}
	return nil
}

// alone reports whether a statement goes out by itself.
func (t Tx) alone() bool { return len(t.ahead.QueuedQueries) == 0 && !t.last && t.usable() == nil }

// commit ends the transaction, unless its last statement has done so. One that sent nothing has nothing to end.
func (t Tx) commit(ctx context.Context) error {
	if t.committed || !t.sent && len(t.ahead.QueuedQueries) == beginning {
		return nil
	}
	if !t.sent {
		return t.Last().SendBatch(ctx, &pgx.Batch{}).Close()
	}
	tag, err := t.Exec(ctx, `COMMIT`)
	return cmp.Or(err, committing(tag))
}

// beginning is how many statements begin a transaction.
const beginning = 2

// committing reads how the commit ended: that of a transaction in which something has failed is a rollback.
func committing(tag pgconn.CommandTag) error {
	if tag.String() != "COMMIT" {
		return errRolledBack
	}
	return nil
}

// rollbackTime is what a rollback may take beyond the request's own deadline, so that the connection can be kept.
const rollbackTime = time.Second

// release rolls back what was not committed. Where that fails the connection is thrown away.
func (s *span) release(ctx context.Context) {
	defer s.conn.Release()
	if c := s.conn.Conn(); c.IsClosed() || c.PgConn().TxStatus() == idle {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), rollbackTime)
	defer cancel()
	_, _ = s.conn.Exec(ctx, `ROLLBACK`)
}
