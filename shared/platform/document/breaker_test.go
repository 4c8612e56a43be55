package document_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/platform/document"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/testkit/check"
	"melmastoon.ghasi.io/shared/testkit/documenttest"
)

// A moody store counts its calls, and may fail to answer.
type moody struct {
	documenttest.Memory
	hangs atomic.Bool
	asked atomic.Int32
}

func (m *moody) Get(ctx context.Context, now time.Time, names ...document.Name) ([]*document.Record, error) {
	m.asked.Add(1)
	if m.hangs.Load() {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	return m.Memory.Get(ctx, now, names...)
}

func newMoody() (*moody, document.Collection[session], env.Env) {
	m := &moody{}
	m.hangs.Store(true)
	e := withStore(m)
	return m, document.Open[session](e, "sessions"), e
}

// get says how a use ended, and how long it took.
func get(ctx context.Context, c document.Collection[session]) (took time.Duration, err error) {
	began := time.Now()
	_, _, err = c.Get(ctx, key)
	return time.Since(began), err
}

func TestBreaker_hangingStore(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m, c, _ := newMoody()
		for i, want := range []time.Duration{150 * time.Millisecond, 150 * time.Millisecond, 150 * time.Millisecond, 0, 0} {
			took, err := get(t.Context(), c)
			if !errors.Is(err, fault.ErrUnavailable) || took != want {
				t.Errorf("use %d: got %v after %v, want %v after %v", i+1, err, took, fault.ErrUnavailable, want)
			}
		}
		if got := m.asked.Load(); got != 3 {
			t.Errorf("it was asked %d times, want 3", got)
		}
		time.Sleep(4001 * time.Millisecond)
		probe := make(chan error)
		go func() { _, err := get(t.Context(), c); probe <- err }()
		synctest.Wait()
		switch took, err := get(t.Context(), c); {
		case !errors.Is(err, fault.ErrUnavailable):
			t.Errorf("beside the probe: err = %v, want %v", err, fault.ErrUnavailable)
		case took != 0:
			t.Errorf("beside the probe: took = %v, want 0", took)
		case m.asked.Load() != 4:
			t.Errorf("beside the probe: m.asked.Load() = %v, want 4", m.asked.Load())
		}
		check.Error(t, <-probe, fault.ErrUnavailable, "the probe")
		m.hangs.Store(false)
		check.Got(get(t.Context(), c)).Error(t, fault.ErrUnavailable, "right after a probe that failed")
		time.Sleep(4001 * time.Millisecond)
		for range 5 {
			if _, err := get(t.Context(), c); err != nil {
				t.Errorf("it is well again: got %v", err)
			}
		}
	})
}

func TestBreaker_otherErrors(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		leave func(context.Context) (context.Context, context.CancelFunc)
		want  error
	}{
		"callers who leave": {func(ctx context.Context) (context.Context, context.CancelFunc) { return cancelled(ctx) }, context.Canceled},
		"callers without much time": {func(ctx context.Context) (context.Context, context.CancelFunc) {
			return context.WithTimeout(ctx, time.Millisecond)
		}, context.DeadlineExceeded},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				m, c, _ := newMoody()
				for range 10 {
					ctx, cancel := test.leave(t.Context())
					if _, err := get(ctx, c); !errors.Is(err, test.want) || errors.Is(err, fault.ErrUnavailable) {
						t.Errorf("got %v, want %v alone", err, test.want)
					}
					cancel()
				}
				m.hangs.Store(false)
				if _, err := get(t.Context(), c); err != nil {
					t.Errorf("it is well, but: %v", err)
				}
			})
		})
	}
}

// Prefetch does not wait for a store that is down, and one probe serves all callers.
func TestPrefetch_openBreaker(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m, c, e := newMoody()
		for range 3 {
			_, _ = get(t.Context(), c)
		}
		look := func() (took time.Duration, err error) {
			began := time.Now()
			ctx := document.Prefetch(t.Context(), e, c.Name(key)).WithPrefetched(t.Context())
			_, _, err = c.GetPrefetched(ctx, key)
			return time.Since(began), err
		}
		switch took, err := look(); {
		case !errors.Is(err, fault.ErrUnavailable):
			t.Errorf("down: err = %v, want %v", err, fault.ErrUnavailable)
		case took != 0:
			t.Errorf("down: took = %v, want 0", took)
		case m.asked.Load() != 3:
			t.Errorf("down: m.asked.Load() = %v, want 3", m.asked.Load())
		}
		time.Sleep(4001 * time.Millisecond)
		probe := make(chan error)
		go func() { _, err := look(); probe <- err }()
		synctest.Wait()
		switch took, err := look(); {
		case !errors.Is(err, fault.ErrUnavailable):
			t.Errorf("beside the probe: err = %v, want %v", err, fault.ErrUnavailable)
		case took != 0:
			t.Errorf("beside the probe: took = %v, want 0", took)
		case m.asked.Load() != 4:
			t.Errorf("beside the probe: m.asked.Load() = %v, want 4", m.asked.Load())
		}
		check.Error(t, <-probe, fault.ErrUnavailable, "the probe")
		m.hangs.Store(false)
		time.Sleep(4001 * time.Millisecond)
		if _, err := look(); err != nil {
			t.Errorf("it is well again: got %v", err)
		}
	})
}

func cancelled(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	cancel()
	return ctx, cancel
}

func TestBreaker_refusalIsSuccess(t *testing.T) {
	t.Parallel()
	refused := errors.New("no such database")
	e := withStore(&documenttest.Memory{Refuse: func(string) error { return refused }})
	for range 10 {
		if err := document.Open[session](e, "sessions").Delete(t.Context(), key); !errors.Is(err, refused) {
			t.Fatalf("got %v, want %v", err, refused)
		}
	}
}

func TestBreaker_perStore(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		_, c, e := newMoody()
		for range 4 {
			_, _ = get(t.Context(), c)
		}
		other := document.Open[session](document.StoreKey.With(e, &documenttest.Memory{}), "sessions")
		if _, err := get(t.Context(), other); err != nil {
			t.Errorf("another store of the family suffers with it: %v", err)
		}
		same := document.Open[session](e.With("A", "b"), "wishes")
		if took, err := get(t.Context(), same); err == nil || took != 0 {
			t.Errorf("another collection of the store waited %v: %v", took, err)
		}
	})
}
