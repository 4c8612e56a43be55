package fn_test

import (
	"context"
	"testing"
	"time"

	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
	"melmastoon.ghasi.io/shared/testkit/fntest"
)

func ticking(tick fn.Tick) fn.Function {
	return fn.Scheduled(fn.Spec{Name: "test-sweep", Schedule: "* * * * *"}, func(env.Env) (fn.Tick, error) { return tick, nil })
}

func TestTick_getsTime(t *testing.T) {
	t.Parallel()
	var at time.Time
	f := ticking(func(_ context.Context, now time.Time) error {
		at = now
		return nil
	})
	e := env.Of(nil)
	e.Advance(-24 * time.Hour)
	before := e.Now()
	switch a := fntest.Open(t, e, f).Tick(f); {
	case a.Status != 204:
		t.Errorf("a.Status = %v, want 204", a.Status)
	case at.Before(before):
		t.Errorf("at = %v, want %v or later", at, before)
	case at.After(e.Now()):
		t.Errorf("at = %v, want at most %v", at, e.Now())
	}
}

func TestScheduled_failure(t *testing.T) {
	t.Parallel()
	for err, want := range map[error]int{errSecret: 500, fault.ErrUnavailable: 503, fault.ErrNotFound: 500} {
		t.Run(err.Error(), func(t *testing.T) {
			f := ticking(func(context.Context, time.Time) error { return err })
			open(t, f).Tick(f).Want(t, want)
		})
	}
}

func TestScheduled_token(t *testing.T) {
	t.Parallel()
	f := ticking(func(context.Context, time.Time) error {
		t.Error("ticked")
		return nil
	})
	open(t, f).As("").Tick(f).Want(t, 401)
}
