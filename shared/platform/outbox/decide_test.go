package outbox_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"melmastoon.ghasi.io/shared/platform/outbox"
	"melmastoon.ghasi.io/shared/platform/postgres"
)

const decision = `SELECT @outcome::text AS outcome, ARRAY[@at::timestamptz, @at::timestamptz + interval '10 min'] AS moments, @fresh::bool AS fresh`

var at = time.Date(2026, time.May, 1, 12, 0, 0, 123_999_000, time.UTC)

func (r *rig) decide(ctx context.Context, outcome string, fresh bool, endings outbox.Endings) (d outbox.Decision, err error) {
	err = r.db.InTx(ctx, func(tx postgres.Tx) error {
		d, err = r.store.Decide(ctx, tx.Last(), decision, pgx.StrictNamedArgs{"outcome": outcome, "at": at, "fresh": fresh}, endings)
		return err
	})
	return d, err
}

// endings are how something about a key may end: the first version of it is told or the second.
func endings(key string) outbox.Endings {
	yes, no := told(key, 1), with(told(key, 2), "failedAt", outbox.When)
	return outbox.Endings{"yes": {with(yes, "failedAt", outbox.UntilWhen)}, "no": {no}}
}

func TestADecisionIsToldAsItEnded(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	for _, test := range []struct {
		outcome string
		fresh   bool
		rows    []string
		when    string
	}{
		{"yes", true, []string{"k 1 pending"}, "2026-05-01T12:10:00.123Z"},
		{"no", true, []string{"k 2 pending"}, "2026-05-01T12:00:00.123Z"},
		{"neither", true, []string{}, ""},
		{"yes", false, []string{}, ""},
	} {
		r.exec(t, `TRUNCATE sandbox.outbox`)
		d, err := r.decide(t.Context(), test.outcome, test.fresh, endings("k"))
		if err != nil || d.Outcome != test.outcome || d.Fresh != test.fresh || !d.Moments[0].Equal(at) {
			t.Errorf("decided %+v, %v, want %+v", d, err, test)
		}
		if got := r.rows(t); !slices.Equal(got, test.rows) {
			t.Errorf("%s: told %v, want %v", test.outcome, got, test.rows)
		}
		var when string
		if err := r.Owner(t).QueryRow(t.Context(), `SELECT coalesce(min(payload ->> 'failedAt'), '') FROM sandbox.outbox`).Scan(&when); err != nil || when != test.when {
			t.Errorf("%s: told that it happened at %q, %v, want %q", test.outcome, when, err, test.when)
		}
	}
}

func TestADecisionThatCouldEndAgainstItsContractIsNotMade(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	unnamed, foreign := endings("k"), endings("k")
	unnamed["no"][0] = with(unnamed["no"][0], "email", "g@example.com")
	foreign["no"][0].OrderingKey = "other"
	for name, broken := range map[string]outbox.Endings{`"/email"`: unnamed, "another ordering key": foreign} {
		if _, err := r.decide(t.Context(), "yes", true, broken); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: got %v", name, err)
		}
	}
	if got := r.rows(t); len(got) != 0 {
		t.Errorf("told %v", got)
	}
}

func TestADecisionWaitsForTheWritersOfItsKey(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	second := make(chan error, 1)
	err := r.write(t.Context(), r.store, func() {
		go func() {
			_, err := r.decide(t.Context(), "no", true, endings("k"))
			second <- err
		}()
		r.await(t, `SELECT EXISTS (SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted)`)
		r.mustWrite(t, told("other", 1))
	}, told("k", 1))
	if err != nil {
		t.Fatal(err)
	}
	if err := <-second; err != nil {
		t.Fatal(err)
	}
	if got, want := r.rows(t), []string{"k 1 pending", "other 1 pending", "k 2 pending"}; !slices.Equal(got, want) {
		t.Errorf("written %v, want %v", got, want)
	}
}

func TestAnEndingIsWrittenAsItIsButForItsMoments(t *testing.T) {
	t.Parallel()
	const ending = `{"at":"9999-12-31T23:59:59.000Z","until":"9999-12-31T23:59:59.001Z","note":"100% of %1$s, %%"}`
	var got string
	err := newRig(t).Owner(t).QueryRow(t.Context(), `SELECT format($1, 'now', 'then')`, outbox.Pattern(ending)).Scan(&got)
	if want := `{"at":"now","until":"then","note":"100% of %1$s, %%"}`; err != nil || got != want {
		t.Errorf("written %s, %v, want %s", got, err, want)
	}
}
