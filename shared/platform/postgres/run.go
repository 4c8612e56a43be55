package postgres

import (
	"context"
	"slices"
	"time"
)

// A hook runs after the commit.
type hook struct {
	key   string
	about []string
	run   func(context.Context, []string)
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

// run runs a transaction with the rights of one of the schema's roles, and then its hooks.
func (d *DB) run(ctx context.Context, role, tenant string, f func(Tx) error) error {
	pool, err := d.pool()
	if err != nil {
		return err
	}
	shared := poolsOf(d.env)
	conn, err := shared.acquire(ctx, pool)
	if err != nil {
		return outage(ctx, err, true)
	}
	t := Tx{span: &span{conn: conn, role: d.schema + role, tenant: tenant}}
	err = func() error {
		defer shared.release(ctx, conn, pool)
		return finish(ctx, t, f)
	}()
	if err != nil {
		return err
	}
	for _, h := range t.after {
		h.run(ctx, h.about)
	}
	return nil
}

// finish commits, or rolls back on an error and on a panic.
func finish(ctx context.Context, t Tx, f func(Tx) error) error {
	defer t.rollback(ctx)
	err := f(t)
	if err == nil {
		err = t.commit(ctx)
	}
	if err != nil {
		return outage(ctx, err, t.conn.Conn().IsClosed())
	}
	return nil
}

// rollbackTime bounds a rollback beyond the request's own deadline, so that the connection can be reused.
const rollbackTime = time.Second

// rollback ends an open transaction, so that its connection can be reused. If that fails, the pool closes the connection.
func (s *span) rollback(ctx context.Context) {
	if c := s.conn.Conn(); c.IsClosed() || c.PgConn().TxStatus() == idle {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), rollbackTime)
	defer cancel()
	_, _ = s.conn.Exec(ctx, `ROLLBACK`)
}
