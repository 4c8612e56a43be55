package postgres

import (
	"context"
	"encoding/hex"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"melmastoon.ghasi.io/shared/id"
)

// A Tx is a transaction that is open now. It ends with the function it was given to.
type Tx struct {
	tx    pgx.Tx
	after *hooks
}

// Exec runs a statement that returns no rows.
func (t Tx) Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error) {
	return t.tx.Exec(ctx, sql, args...)
}

// Query runs a statement for its rows. They must be read to the end before the next statement: pgx.CollectRows does.
func (t Tx) Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error) {
	return t.tx.Query(ctx, sql, args...)
}

// QueryRow runs a statement for its first row.
func (t Tx) QueryRow(ctx context.Context, sql string, args ...any) pgx.Row {
	return t.tx.QueryRow(ctx, sql, args...)
}

// SendBatch runs several statements in one round trip. The results must be closed.
func (t Tx) SendBatch(ctx context.Context, b *pgx.Batch) pgx.BatchResults {
	return t.tx.SendBatch(ctx, b)
}

// Now is the database's clock, which decides what has expired.
func (t Tx) Now(ctx context.Context) (now time.Time, err error) {
	err = t.tx.QueryRow(ctx, `SELECT platform.now()`).Scan(&now)
	return now, err
}

// AfterCommit has f run once the transaction has committed, its connection is free again, and before InTx returns;
// never after a rollback. Of several under one key the first counts, so that everyone who writes may ask for the
// same thing. What f fails at is its own affair: the transaction stands.
func (t Tx) AfterCommit(key string, f func(context.Context)) {
	t.after.add(key, f)
}

// hooks are what runs after a commit, in the order it was asked for.
type hooks struct {
	keys map[string]bool
	run  []func(context.Context)
}

func (h *hooks) add(key string, f func(context.Context)) {
	if h.keys[key] {
		return
	}
	if h.keys == nil {
		h.keys = map[string]bool{}
	}
	h.keys[key] = true
	h.run = append(h.run, f)
}

// A scope is what a transaction may see: as which role, and of which tenant.
type scope struct {
	role   string
	tenant id.Tenant // zero: of none
}

// begin opens the transaction and sets its scope in one round trip. Both settings are always made, if only to
// what they should be anyway: nothing that an earlier request left on the connection counts.
func (s scope) begin() string {
	var tenant string
	if !s.tenant.IsZero() {
		tenant = hex.EncodeToString(s.tenant[:])
	}
	return "BEGIN; SET LOCAL ROLE " + pgx.Identifier{s.role}.Sanitize() +
		"; SELECT set_config('app.tenant_id', '" + tenant + "', true)"
}

// rollbackTime is what a rollback may take beyond the request's own deadline, so that the connection can be kept.
const rollbackTime = time.Second

func (d *DB) run(ctx context.Context, s scope, f func(Tx) error) error {
	pool, err := d.pool()
	if err != nil {
		return err
	}
	tx, err := pool.BeginTx(ctx, pgx.TxOptions{BeginQuery: s.begin()})
	if err != nil {
		return outage(ctx, err, true)
	}
	t := Tx{tx, &hooks{}}
	if err := finish(ctx, t, f); err != nil {
		return err
	}
	for _, hook := range t.after.run {
		hook(ctx)
	}
	return nil
}

// finish gives the connection back in every case, a panic included.
func finish(ctx context.Context, t Tx, f func(Tx) error) error {
	conn := t.tx.Conn()
	defer func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), rollbackTime)
		defer cancel()
		_ = t.tx.Rollback(ctx) // after a commit it does nothing; where it fails the connection is thrown away
	}()
	if err := f(t); err != nil {
		return outage(ctx, err, conn.IsClosed())
	}
	if err := t.tx.Commit(ctx); err != nil {
		return outage(ctx, err, conn.IsClosed())
	}
	return nil
}
