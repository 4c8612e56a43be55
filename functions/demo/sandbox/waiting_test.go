package sandbox_test

import (
	"context"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"melmastoon.ghasi.io/functions/demo/sandbox/internal/inventory"
	"melmastoon.ghasi.io/shared/testkit/check"
)

// Time passes while a call waits for the locks of the nights. The time at the end of the wait counts.
func TestHold_clockReadAfterLock(t *testing.T) {
	t.Parallel()
	b := open(t)
	w := b.nights(10, 3)
	old := b.held(t, w, 1)
	var kept error
	var placed inventory.HoldResult
	b.whileWaiting(t, func(ctx context.Context) (err error) {
		kept = b.commit(ctx, old)
		return nil
	}, func(ctx context.Context) (err error) {
		placed, err = b.Inventory.Hold(ctx, b.want(w, 1))
		return err
	})
	check.Error(t, kept, inventory.ErrHoldOver, "the commit of what lapsed meanwhile")
	if left := placed.ExpiresAt.Sub(b.env.Now()); left < 9*time.Minute {
		t.Errorf("the new hold has %v of its 10 minutes left", left)
	}
}

// whileWaiting locks all nights, starts the acts, which block on the locks, advances the clock by ten minutes and
// releases the locks.
func (b books) whileWaiting(t *testing.T, acts ...func(context.Context) error) {
	t.Helper()
	locker := b.Owner(t) // another connection: pg_stat_activity is cached within a transaction
	tx, err := locker.Begin(t.Context())
	check.Must(t, err)
	check.Got(tx.Exec(t.Context(), `SELECT FROM sandbox.inventory_nights FOR UPDATE`)).Must(t)
	waiting, ctx := errgroup.WithContext(t.Context())
	for _, act := range acts {
		waiting.Go(func() error { return act(ctx) })
	}
	ended := make(chan error, 1)
	go func() { ended <- waiting.Wait() }()
	for b.waiters(t) < len(acts) {
		select {
		case err := <-ended:
			t.Fatalf("no call waits for the locks of the nights: %v", err)
		default:
		}
	}
	b.Advance(10 * time.Minute)
	check.Must(t, tx.Commit(t.Context()))
	check.Must(t, <-ended)
}

// waiters returns the number of connections that wait for a lock in this database.
func (b books) waiters(t *testing.T) int {
	t.Helper()
	return b.count(t, `SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`)
}
