package outbox_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"melmastoon.ghasi.io/shared/platform/outbox"
	"melmastoon.ghasi.io/shared/platform/topic"
	"melmastoon.ghasi.io/shared/testkit/check"
)

// tallied runs f under a tally, and wants so many events published and so many of them late, the slowest after about that long.
func tallied(t *testing.T, what string, want outbox.Report, f func(*outbox.Tally)) {
	t.Helper()
	var tally outbox.Tally
	f(&tally)
	got := tally.Report()
	if spent := 20 * time.Second; got.Slowest < want.Slowest || got.Slowest > want.Slowest+spent { // the test itself
		t.Errorf("%s: the slowest had waited %v, want about %v", what, got.Slowest, want.Slowest)
	}
	if got.Slowest = want.Slowest; got != want {
		t.Errorf("%s: got %+v, want %+v", what, got, want)
	}
}

func TestTally_lag(t *testing.T) {
	t.Parallel()
	r := newFixture(t)
	r.mustWrite(t, draftOf("k", 1), draftOf("l", 1))
	r.Advance(time.Hour)
	r.mustWrite(t, draftOf("m", 1))
	relay := func(tally *outbox.Tally) {
		check.NoError(t, r.relay.Tick(outbox.Tallied(t.Context(), tally), time.Time{}))
	}
	tallied(t, "a relay", outbox.Report{Published: 3, Late: 2, Slowest: time.Hour}, relay)
	tallied(t, "a relay with nothing to do", outbox.Report{}, relay)

	write := func(tally *outbox.Tally) {
		check.NoError(t, r.write(outbox.Tallied(t.Context(), tally), r.relay, nil, draftOf("k", 2)))
	}
	tallied(t, "a writer", outbox.Report{Published: 1}, write)
	r.mustWrite(t, draftOf(r.neighbour(t, "k"), 1))
	r.Advance(time.Minute)
	tallied(t, "a writer who finds another's event in its lane", outbox.Report{Published: 2, Late: 1, Slowest: time.Minute}, write)
}

// TestTally_deferred counts a deferred event as late only if the relay has not come for a minute.
func TestTally_deferred(t *testing.T) {
	t.Parallel()
	r := newFixture(t)
	for _, waited := range []time.Duration{80 * time.Second, 100 * time.Second} {
		d := draftOf("k", 1)
		d.Subject.Deferred = true
		r.mustWrite(t, d)
		r.Advance(waited)
		var late int
		if waited > 90*time.Second {
			late = 1
		}
		tallied(t, waited.String(), outbox.Report{Published: 1, Late: late, Slowest: waited}, func(tally *outbox.Tally) {
			check.NoError(t, r.relay.Tick(outbox.Tallied(t.Context(), tally), time.Time{}))
		})
	}
}

func TestTally_failedEvents(t *testing.T) {
	t.Parallel()
	r := newFixture(t)
	broken := true
	r.bus.Refuse = func(m topic.Message) error {
		switch {
		case m.OrderingKey == "never":
			return fmt.Errorf("%w: too large", topic.ErrRefused)
		case broken:
			return errors.New("try later")
		}
		return nil
	}
	r.mustWrite(t, draftOf("k", 1), draftOf("never", 1))
	tallied(t, "what is not published", outbox.Report{Failed: 1, Parked: 1, Stuck: outbox.Stuck{Evidence: 1}}, func(tally *outbox.Tally) {
		_ = r.relay.Tick(outbox.Tallied(t.Context(), tally), time.Time{})
	})
	broken = false
	r.Advance(time.Minute)
	tallied(t, "at last", outbox.Report{Published: 1, Late: 1, Slowest: time.Minute, Stuck: outbox.Stuck{Evidence: 1}}, func(tally *outbox.Tally) {
		_ = r.relay.Tick(outbox.Tallied(t.Context(), tally), time.Time{})
	})
}

// An event that was published and could not be marked is published again, and counts as waiting until then.
func TestTally_once(t *testing.T) {
	t.Parallel()
	r := newFixture(t)
	r.mustWrite(t, draftOf("k", 1))
	tallied(t, "killed between publishing and marking", outbox.Report{}, func(tally *outbox.Tally) {
		check.Error(t, relayKilled(outbox.Tallied(t.Context(), tally), r.stepping(nil, kill)), errKilled)
	})
	r.lapse(t)
	tallied(t, "the next", outbox.Report{Published: 1}, func(tally *outbox.Tally) {
		check.NoError(t, r.relay.Tick(outbox.Tallied(t.Context(), tally), time.Time{}))
	})
}

// A relay reports the size of its outbox from ten million rows on, as PostgreSQL estimates it.
func TestTally_rows(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name      string
		estimated string
		want      int
	}{
		{"never_analyzed", "-1", 0},
		{"few", "9999872", 0},
		{"many", "50000000", 50_000_000},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			r := newFixture(t)
			if _, err := r.Owner(t).Exec(t.Context(), `UPDATE pg_catalog.pg_class SET reltuples = `+test.estimated+` WHERE oid = 'sandbox.outbox'::regclass`); err != nil {
				t.Fatal(err)
			}
			tallied(t, "a relay", outbox.Report{Stuck: outbox.Stuck{Rows: test.want}}, func(tally *outbox.Tally) {
				check.NoError(t, r.relay.Tick(outbox.Tallied(t.Context(), tally), time.Time{}))
			})
		})
	}
}
