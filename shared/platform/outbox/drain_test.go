package outbox_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/platform/outbox"
	"melmastoon.ghasi.io/shared/platform/postgres"
	"melmastoon.ghasi.io/shared/platform/topic"
	"melmastoon.ghasi.io/shared/testkit/check"
	"melmastoon.ghasi.io/shared/testkit/fntest"
)

func TestDrain_publishesAfterCommit(t *testing.T) {
	t.Parallel()
	r := newFixture(t)
	err := r.db.InTx(t.Context(), func(tx postgres.Tx) error {
		if err := r.relay.Append(t.Context(), tx, draftOf("k", 1), draftOf("l", 1)); err != nil {
			return err
		}
		if got := r.bus.Messages(); len(got) != 0 {
			t.Errorf("published %v before the commit", names(got))
		}
		return r.relay.Append(t.Context(), tx, draftOf("m", 1), draftOf("k", 2))
	})
	check.Must(t, err)
	if bad := faults(r.bus.Messages(), map[string]int{"k": 2, "l": 1, "m": 1}); bad != nil || len(r.bus.Messages()) != 4 {
		t.Error(names(r.bus.Messages()), bad)
	}
}

// TestDrain_deferred leaves telemetry to the relay, or publishes it before the next event of its key.
func TestDrain_deferred(t *testing.T) {
	t.Parallel()
	r := newFixture(t)
	deferred := func(key string, version int) event.Draft {
		d := draftOf(key, version)
		d.Subject.Deferred = true
		return d
	}
	write := func(events ...event.Draft) {
		t.Helper()
		check.Must(t, r.write(t.Context(), r.relay, nil, events...))
	}
	write(deferred("k", 1))
	check.Equal(t, len(names(r.bus.Messages())), 0, "published right after the commit")
	write(deferred("k", 2), draftOf("k", 3), deferred("k", 4))
	check.Equal(t, names(r.bus.Messages()), []string{"k 1", "k 2", "k 3", "k 4"}, "published")
	write(deferred("l", 1))
	r.mustRelay(t, reported(1))
}

func TestDrain_rollback(t *testing.T) {
	t.Parallel()
	r := newFixture(t)
	err := r.db.InTx(t.Context(), func(tx postgres.Tx) error {
		if err := r.relay.Append(t.Context(), tx, draftOf("k", 1)); err != nil {
			return err
		}
		return errKilled
	})
	if err != errKilled || len(r.bus.Messages()) != 0 {
		t.Errorf("got %v and published %v", err, names(r.bus.Messages()))
	}
	r.mustRelay(t, reported(0))
}

func TestDrain_ownLanes(t *testing.T) {
	t.Parallel()
	r := newFixture(t)
	same := r.neighbour(t, "k")
	r.mustWrite(t, draftOf(same, 1), draftOf("elsewhere", 1))
	check.Must(t, r.write(t.Context(), r.relay, nil, draftOf("k", 1)))
	check.Equal(t, names(r.bus.Messages()), []string{same + " 1", "k 1"}, "published")
}

// A writer that finds its lane leased returns. The holder sees the new row when it looks again.
func TestDrain_leasedLane(t *testing.T) {
	t.Parallel()
	r := newFixture(t)
	r.mustWrite(t, draftOf("k", 1))
	var met bool
	holder := r.stepping(nil, func() {
		if met {
			return
		}
		met = true
		check.NoError(t, r.write(t.Context(), r.relay, nil, draftOf("k", 2)))
		check.Equal(t, names(r.bus.Messages()), []string{"k 1"}, "published while the lane was held")
	})
	if report, err := relay(t.Context(), holder); err != nil || report != reported(2) {
		t.Errorf("got %+v, %v, want both published by the holder", report, err)
	}
	check.Equal(t, names(r.bus.Messages()), []string{"k 1", "k 2"}, "published")
}

// stuck is a publisher that answers only when its time is over.
type stuck struct{}

func (stuck) Publish(ctx context.Context, messages []topic.Message) []error {
	<-ctx.Done()
	errs := make([]error, len(messages))
	for i := range errs {
		errs[i] = ctx.Err()
	}
	return errs
}

func TestDrain_hangingPublisher(t *testing.T) {
	t.Parallel()
	r := newFixture(t)
	slow := outbox.Open(topic.PublisherKey.With(r.Env(), stuck{}), r.db)
	var err error
	took, stalled := fntest.Timed(func() {
		err = r.db.InTx(t.Context(), func(tx postgres.Tx) error { return slow.Append(t.Context(), tx, draftOf("k", 1)) })
	})
	check.Must(t, err)
	if took > 2*time.Second { // 150 ms, plus the delays of a busy machine
		t.Errorf("the writer waited for %v, besides %v in which the machine got to nothing", took, stalled)
	}
	check.Equal(t, r.rows(t), []string{"k 1 pending"}, "rows after its own deadline, which is no failure of the event")
	r.lapse(t) // a machine so busy that it had no time to give the lane back
	r.mustRelay(t, reported(1))
}

func TestDrain_callerCanceled(t *testing.T) {
	t.Parallel()
	r := newFixture(t)
	ctx, hangUp := context.WithCancel(t.Context())
	err := r.db.InTx(ctx, func(tx postgres.Tx) error {
		tx.AfterCommit("hang up", func(context.Context, []string) { hangUp() })
		return r.relay.Append(ctx, tx, draftOf("k", 1))
	})
	if got, want := names(r.bus.Messages()), []string{"k 1"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("published %v, %v, want %v", got, err, want)
	}
}

func TestRelay_marksOnShutdown(t *testing.T) {
	t.Parallel()
	r := newFixture(t)
	r.mustWrite(t, draftOf("k", 1))
	ctx, stop := context.WithCancel(t.Context())
	stopping := r.stepping(nil, stop)
	if report, err := relay(ctx, stopping); report != reported(1) || err == nil {
		t.Errorf("got %+v, %v, want one published and then the end", report, err)
	}
	check.Equal(t, r.rows(t), []string{"k 1 published"}, "rows")
	r.mustWrite(t, draftOf("k", 2))
	r.mustRelay(t, reported(1)) // the lane was given back
}
