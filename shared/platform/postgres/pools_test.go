package postgres_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/postgres"
	"melmastoon.ghasi.io/shared/testkit/check"
	"melmastoon.ghasi.io/shared/testkit/pgtest"
)

// A watcher counts connections and pings.
type watcher struct{ connected, refused, pinged atomic.Int64 }

func (w *watcher) TraceConnectStart(ctx context.Context, _ pgx.TraceConnectStartData) context.Context {
	return ctx
}

func (w *watcher) TraceConnectEnd(_ context.Context, end pgx.TraceConnectEndData) {
	if end.Err != nil {
		w.refused.Add(1)
	} else {
		w.connected.Add(1)
	}
}

func (w *watcher) TraceQueryStart(ctx context.Context, _ *pgx.Conn, q pgx.TraceQueryStartData) context.Context {
	if q.SQL == "-- ping" {
		w.pinged.Add(1)
	}
	return ctx
}

func (w *watcher) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}

// crowded is a database that takes fewer connections than the pools of its schemas want.
func crowded(t *testing.T, connections string) (env.Env, *watcher) {
	t.Helper()
	d, w := pgtest.New(t), new(watcher)
	owner := d.Owner(t)
	check.Got(owner.Exec(t.Context(), `ALTER DATABASE `+pgx.Identifier{owner.Config().Database}.Sanitize()+` CONNECTION LIMIT `+connections)).Must(t)
	return postgres.TracerKey.With(d.Env(), postgres.Tracer(func(string) pgx.QueryTracer { return w })), w
}

// busy runs transactions of one schema at the same time, each within a second.
func busy(t *testing.T, e env.Env, schema string, callers, each int) *sync.WaitGroup {
	t.Helper()
	db, running := postgres.Open(e, schema), new(sync.WaitGroup)
	for range callers {
		running.Go(func() {
			for range each {
				ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
				err := db.InTx(ctx, func(tx postgres.Tx) error { _, err := tx.Exec(ctx, `SELECT pg_sleep(0.005)`); return err })
				cancel()
				check.NoError(t, err, "%s", schema)
			}
		})
	}
	return running
}

func TestPools_idleConnectionsOfOthers(t *testing.T) {
	t.Parallel()
	e, w := crowded(t, "5") // one is the owner's
	busy(t, e, "sandbox", 4, 1).Wait()
	busy(t, e, "reservation", 1, 1).Wait()
	if w.connected.Load() < 5 || w.refused.Load() == 0 {
		t.Errorf("%d connections, %d refused, want at least 5 and at least 1", w.connected.Load(), w.refused.Load())
	}
}

func TestPools_inTurn(t *testing.T) {
	t.Parallel()
	e, w := crowded(t, "4")
	var all []*sync.WaitGroup
	for _, schema := range []string{"sandbox", "reservation", "bff_consumer", "bff_tenant_booking"} {
		all = append(all, busy(t, e, schema, 4, 10))
	}
	for _, running := range all {
		running.Wait()
	}
	t.Logf("%d connections, %d refused", w.connected.Load(), w.refused.Load())
	if w.refused.Load() == 0 {
		t.Error("got no refused connection, want some")
	}
}

func TestPools_noRoom(t *testing.T) {
	t.Parallel()
	e, _ := crowded(t, "0")
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	err := postgres.Open(e, "sandbox").InTx(ctx, func(postgres.Tx) error { return nil })
	if !errors.Is(err, fault.ErrUnavailable) || ctx.Err() != nil {
		t.Errorf("got %v, %v, want an outage before the caller's time is over", err, ctx.Err())
	}
}
