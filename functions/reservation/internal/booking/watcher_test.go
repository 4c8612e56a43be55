package booking

import (
	"context"
	"errors"
	"testing"

	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/fn/observe"
	"melmastoon.ghasi.io/shared/testkit/pgtest"
)

// TestRetry_countsStuckSteps has every service refuse every attempt, unless it answers.
func TestRetry_countsStuckSteps(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	for _, test := range []struct {
		name     string
		pending  Step
		attempts int // before this one
		answers  bool
		stuck    int64
	}{
		{"fifth", AwaitInventory, 4, false, 0},
		{"sixth", AwaitInventory, 5, false, 1},
		{"sixth_answered", AwaitInventory, 5, true, 0},
		{"hundredth", AwaitInventory, 99, false, 1},
		{"payment", AwaitPayment, 99, false, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			r := aStored(t, db.Env(), id.New[id.Tenant]())
			r.Saga.Pending, r.Saga.Attempts = test.pending, test.attempts
			r.Version++
			if err := save(t, OpenReservations(db.Env()), r); err != nil {
				t.Fatal(err)
			}
			unanswered := errors.New("no answer")
			w := &Watcher{reservations: OpenReservations(db.Env()), inventory: silentInventory{unanswered}, now: db.Env().Now}
			w.pays = func(context.Context, id.Tenant, id.Reservation) ([]Intent, error) { return nil, unanswered }
			if test.answers {
				w.inventory = newFakeInventory(db.Env().Now, 1)
			}
			var counts observe.Counts
			err := w.Retry(observe.WithCounts(t.Context(), &counts), StuckStep{Tenant: r.Tenant, Reservation: r.ID, Since: *r.Saga.Since})
			if failed := errors.Is(err, unanswered); failed == test.answers {
				t.Errorf("Retry() = %v, want an answer: %v", err, test.answers)
			}
			if got := errors.Is(err, errStepStuck); got != (test.stuck > 0) {
				t.Errorf("Retry() = %v, want %v: %v", err, errStepStuck, test.stuck > 0)
			}
			if got := counts[observe.StuckSteps].Load(); got != test.stuck {
				t.Errorf("stuck steps = %d, want %d", got, test.stuck)
			}
		})
	}
}

// A silentInventory answers no hold.
type silentInventory struct{ err error }

func (s silentInventory) Hold(context.Context, *Reservation, Hold) (HoldResult, error) {
	return HoldResult{}, s.err
}

func (s silentInventory) Commit(context.Context, *Reservation, Hold) error { return s.err }

func (s silentInventory) Release(context.Context, *Reservation, []id.Allocation) error { return s.err }
