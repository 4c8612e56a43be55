package env_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/testkit/check"
)

type settings struct {
	URL  string        `env:"DATABASE_URL,required"`
	Pool int           `env:"DATABASE_POOL,default=4"`
	Wait time.Duration `env:"WAIT,default=5s"`
}

func TestLoad(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name string
		vars map[string]string
		want settings
		err  string
	}{
		{"all variables", map[string]string{"DATABASE_URL": "u", "DATABASE_POOL": "2", "WAIT": "1m"}, settings{"u", 2, time.Minute}, ""},
		{"defaults", map[string]string{"DATABASE_URL": "u"}, settings{"u", 4, 5 * time.Second}, ""},
		{"empty variable", map[string]string{"DATABASE_URL": "u", "DATABASE_POOL": ""}, settings{"u", 4, 5 * time.Second}, ""},
		{"required variable missing", nil, settings{}, "DATABASE_URL"},
		{"required variable empty", map[string]string{"DATABASE_URL": ""}, settings{}, "DATABASE_URL"},
		{"invalid number", map[string]string{"DATABASE_URL": "u", "DATABASE_POOL": "many"}, settings{}, "Pool"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var got settings
			err := env.Of(test.vars).Load(&got)
			if test.err != "" {
				if err == nil || !strings.Contains(err.Error(), test.err) {
					t.Errorf("got error %v, want one about %s", err, test.err)
				}
				return
			}
			check.Must(t, err)
			check.Equal(t, got, test.want)
		})
	}
}

func TestWithDerives(t *testing.T) {
	t.Parallel()
	vars := map[string]string{"DATABASE_URL": "first"}
	parent := env.Of(vars)
	vars["DATABASE_URL"] = "changed behind its back"
	child := parent.With("DATABASE_URL", "second").With("DATABASE_POOL", "9")
	for e, want := range map[*env.Env]settings{
		&parent: {"first", 4, 5 * time.Second},
		&child:  {"second", 9, 5 * time.Second},
	} {
		t.Run(fmt.Sprint(e), func(t *testing.T) {
			var got settings
			if err := e.Load(&got); err != nil || got != want {
				t.Errorf("got %+v, %v, want %+v", got, err, want)
			}
		})
	}
	var got settings
	check.Fails(t, child.With("DATABASE_URL", "").Load(&got), "a variable set to nothing: %+v", got)
}

func TestSystem(t *testing.T) { // not parallel: it sets process variables
	t.Setenv("DATABASE_URL", "from the process")
	t.Setenv("CLOCK_OFFSET", "31m")
	var got settings
	e := env.System()
	if err := e.Load(&got); err != nil || got.URL != "from the process" {
		t.Errorf("got %+v, %v", got, err)
	}
	if e.Offset() != 31*time.Minute {
		t.Errorf("the clock is moved by %v, want 31m", e.Offset())
	}
	t.Setenv("CLOCK_OFFSET", "soon")
	if err := env.System().Load(&got); err == nil || !strings.Contains(err.Error(), "CLOCK_OFFSET") {
		t.Errorf("got error %v, want one about CLOCK_OFFSET", err)
	}
}

func TestClock_shared(t *testing.T) {
	t.Parallel()
	parent := env.Of(nil)
	child := numberKey.With(parent.With("A", "1"), 1)
	before := parent.Now()
	child.Advance(time.Hour)
	if moved := parent.Now().Sub(before); moved < time.Hour || moved > time.Hour+time.Minute {
		t.Errorf("the parent's clock moved by %v, want an hour", moved)
	}
	check.Equal(t, env.Of(nil).Offset(), 0, "offset of another environment")
	now := parent.Now()
	if now.Location() != time.UTC || now.Nanosecond()%1000 != 0 {
		t.Errorf("%v is not UTC to the microsecond", now)
	}
}

var numberKey, otherKey = env.NewKey[int]("number"), env.NewKey[int]("other number")

func TestKey(t *testing.T) {
	t.Parallel()
	parent := numberKey.With(env.Of(nil), 1)
	child := numberKey.With(parent, 2)
	for _, test := range []struct {
		name string
		in   env.Env
		want int
	}{{"parent", parent, 1}, {"child", child, 2}} {
		t.Run(test.name, func(t *testing.T) {
			if got, ok := numberKey.Get(test.in); !ok || got != test.want {
				t.Errorf("got %v, %v, want %d", got, ok, test.want)
			}
		})
	}
	if got, ok := otherKey.Get(child); ok {
		t.Errorf("got %v for a key that is not set", got)
	}
	if got, ok := numberKey.Get(env.Of(nil)); ok {
		t.Errorf("got %v from an Env without values", got)
	}
}

func TestTimeout(t *testing.T) {
	t.Parallel()
	for factor, want := range map[string]time.Duration{"": time.Second, "4": 4 * time.Second, "0": time.Second, "many": time.Second} {
		t.Run(fmt.Sprintf("%q", factor), func(t *testing.T) {
			check.Equal(t, env.Of(nil).With("TIMEOUT_FACTOR", factor).Timeout(time.Second), want, "factor %q", factor)
		})
	}
}

func TestOnce_opensOne(t *testing.T) {
	t.Parallel()
	e := env.Of(nil)
	var opened atomic.Int32
	var wg sync.WaitGroup
	for range 32 {
		wg.Go(func() {
			got, err := env.Once(e.With("A", "1"), "pool", func() (*int32, error) {
				n := opened.Add(1)
				return &n, nil
			})
			if err != nil {
				t.Error(err)
				return
			}
			check.Equal(t, *got, 1)
		})
	}
	wg.Wait()
	again := func() (*int32, error) { n := opened.Add(1); return &n, nil }
	if got, _ := env.Once(e, "other", again); *got != 2 {
		t.Errorf("another key shares the client: %d", *got)
	}
	if got, _ := env.Once(env.Of(nil), "pool", again); *got != 3 {
		t.Errorf("another family shares the client: %d", *got)
	}
	check.Got(env.Once(e, "pool", func() (string, error) { return "text", nil })).Want(t, "text", "another type under the same key")
}

func TestOnce_errorsNotKept(t *testing.T) {
	t.Parallel()
	e := env.Of(nil)
	failed := errors.New("not yet there")
	check.Got(env.Once(e, "pool", func() (int, error) { return 0, failed })).Error(t, failed)
	func() {
		defer func() { _ = recover() }()
		_, _ = env.Once(e, "pool", func() (int, error) { panic("in open") })
	}()
	if got, err := env.Once(e, "pool", func() (int, error) { return 7, nil }); got != 7 || err != nil {
		t.Errorf("got %v, %v, want the client opened after all", got, err)
	}
}

func TestOnceNests(t *testing.T) {
	t.Parallel()
	e := env.Of(nil)
	got, err := env.Once(e, "outer", func() (int, error) {
		return env.Once(e, "inner", func() (int, error) { return 5, nil })
	})
	check.Equal(t, got, 5)
	check.NoError(t, err)
}

func TestClose(t *testing.T) {
	t.Parallel()
	e := env.Of(nil)
	var order []string
	first, second := errors.New("first"), errors.New("second")
	e.OnClose(func(context.Context) error { order = append(order, "pool"); return first })
	e.With("A", "1").OnClose(func(context.Context) error { order = append(order, "relay"); return second })
	err := e.Close(t.Context())
	check.Error(t, err, first)
	check.Error(t, err, second)
	if got := strings.Join(order, " "); got != "relay pool" {
		t.Errorf("closed %q, want the last opened first", got)
	}
	if err := e.Close(t.Context()); err != nil || len(order) != 2 {
		t.Errorf("closed again: %v, %v", err, order)
	}
}
