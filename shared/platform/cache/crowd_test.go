package cache_test

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/platform/cache"
	"melmastoon.ghasi.io/shared/platform/document"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/testkit/check"
	"melmastoon.ghasi.io/shared/testkit/documenttest"
)

// rush has so many readers fetch at once, in two processes, all of whom have looked and found nothing before the first
// composition may end. It tells how often was composed.
func rush(t *testing.T, readers int, stores [2]document.Store) int32 {
	t.Helper()
	s := &source{text: "first"}
	looked := [2]*watched{watch(stores[0], readers/2), watch(stores[1], readers/2)}
	compose := func(ctx context.Context) (page, error) {
		await(t, looked[0].all, "everybody's look")
		await(t, looked[1].all, "everybody's look")
		return s.compose(ctx)
	}
	both := [2]env.Env{process(looked[0]), process(looked[1])}
	var all sync.WaitGroup
	for i := range readers {
		all.Go(func() {
			ctx := context.WithValue(t.Context(), reader{}, i)
			got, state, err := open(both[i%2]).Fetch(ctx, key, []cache.Epoch{tenant}, compose)
			switch {
			case err != nil:
				t.Errorf("reader %d: err = %v, want nil", i, err)
			case got.Text != "first":
				t.Errorf(`reader %d: got.Text = %q, want "first"`, i, got.Text)
			case state != cache.Miss && state != cache.Hit:
				t.Errorf("reader %d: state = %v, want %v or %v", i, state, cache.Miss, cache.Hit)
			}
		})
	}
	all.Wait()
	return s.composed.Load()
}

func stores(t testing.TB) (both [2]document.Store) {
	t.Helper()
	for i, e := range onPostgres(t) {
		both[i], _ = document.StoreKey.Get(e)
	}
	return both
}

func TestCrowd_twoProcesses(t *testing.T) {
	t.Parallel()
	check.Equal(t, rush(t, 64, stores(t)), 1, "compositions")
}

// unmarked is a store that keeps no marks.
func unmarked(s document.Store) document.Store {
	return picky{s, func(verb, collection string) bool { return collection == "single-flight" }}
}

func TestCrowd_sabotagedMarks(t *testing.T) {
	t.Parallel()
	both := stores(t)
	for i := range both {
		both[i] = unmarked(both[i])
	}
	// One is enough for both if it is done before the other begins.
	if n := rush(t, 64, both); n != 1 && n != 2 {
		t.Errorf("composed %d times in two processes", n)
	}
}

func TestFetch_lateCaller(t *testing.T) {
	t.Parallel()
	for name, store := range map[string]document.Store{"with marks": &documenttest.Memory{}, "without": unmarked(&documenttest.Memory{})} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := &dawdling{Store: store, looked: make(chan struct{}), arrive: make(chan struct{})}
			e, s := process(d), &source{text: "first"}
			var all sync.WaitGroup
			all.Go(func() {
				got, state, err := open(e).Fetch(context.WithValue(t.Context(), reader{}, "late"), key, []cache.Epoch{tenant}, s.compose)
				switch {
				case err != nil:
					t.Errorf("err = %v, want nil", err)
				case got.Text != "first":
					t.Errorf(`got.Text = %q, want "first"`, got.Text)
				case state != cache.Hit:
					t.Errorf("state = %v, want %v", state, cache.Hit)
				}
			})
			await(t, d.looked, "the late one's look")
			fetch(t, e, s.compose, "first", cache.Miss)
			close(d.arrive)
			all.Wait()
			check.Equal(t, s.composed.Load(), 1, "compositions")
		})
	}
}

func TestCrowd_withoutStore(t *testing.T) {
	t.Parallel()
	e := process(&documenttest.Memory{Refuse: func(string) error { return fault.ErrUnavailable }})
	var composing atomic.Int32
	var all sync.WaitGroup
	for range 32 {
		all.Go(func() {
			fetch(t, e, func(context.Context) (page, error) {
				check.Equal(t, composing.Add(1), 1, "concurrent compositions")
				dither(1000)
				composing.Add(-1)
				return page{Text: "first"}, nil
			}, "first", cache.Bypass)
		})
	}
	all.Wait()
}

func TestFetch_canceledLeader(t *testing.T) {
	t.Parallel()
	for name, leave := range map[string]func(context.Context, context.CancelFunc) (page, error){
		"hangs up":        func(ctx context.Context, cancel context.CancelFunc) (page, error) { cancel(); return page{}, ctx.Err() },
		"runs into a bug": func(context.Context, context.CancelFunc) (page, error) { panic("on purpose") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := watch(&documenttest.Memory{}, 9)
			e, s := process(w), &source{text: "first"}
			begun := make(chan struct{})
			var all sync.WaitGroup
			all.Go(func() {
				defer func() { _ = recover() }()
				ctx, cancel := context.WithCancel(context.WithValue(t.Context(), reader{}, "first"))
				defer cancel()
				_, _, err := open(e).Fetch(ctx, key, []cache.Epoch{tenant}, func(ctx context.Context) (page, error) {
					close(begun)
					await(t, w.all, "everybody's look")
					return leave(ctx, cancel)
				})
				check.Fails(t, err, "a canceled caller")
			})
			await(t, begun, "a composition")
			for i := range 8 {
				all.Go(func() {
					ctx := context.WithValue(t.Context(), reader{}, i)
					got, _, err := open(e).Fetch(ctx, key, []cache.Epoch{tenant}, s.compose)
					check.NoError(t, err)
					check.Equal(t, got.Text, "first")
				})
			}
			all.Wait()
			if n := s.composed.Load(); n != 1 {
				t.Errorf("composed %d times after the first had left", n)
			}
		})
	}
}

// abandon leaves a mark behind, as a process does that is killed while it composes.
func abandon(t *testing.T, e env.Env) {
	t.Helper()
	marks := document.Open[struct{}](e, "single-flight")
	done, err := marks.Create(t.Context(), document.KeyOf("pages", key.String(), "[0]"), struct{}{}, e.Now().Add(5*time.Second))
	if err != nil || !done {
		t.Fatalf("got %v, %v", done, err)
	}
}

func TestFetch_killedProcess(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name       string
		time, most time.Duration // the caller's time; the maximum time until composing begins
		passed     time.Duration // since the kill
	}{
		{"half of what the caller has", 2 * time.Second, time.Second, 0},
		{"not at all once the mark has ended", time.Minute, 0, 5 * time.Second},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				e, s := process(&documenttest.Memory{}), &source{text: "first"}
				abandon(t, e)
				e.Advance(test.passed)
				ctx, cancel := context.WithTimeout(t.Context(), test.time)
				defer cancel()
				began := time.Now()
				got, state, err := open(e).Fetch(ctx, key, []cache.Epoch{tenant}, func(ctx context.Context) (page, error) {
					check.Equal(t, time.Since(began), test.most, "waiting time")
					return s.compose(ctx)
				})
				switch {
				case err != nil:
					t.Errorf("err = %v, want nil", err)
				case got.Text != "first":
					t.Errorf(`got.Text = %q, want "first"`, got.Text)
				case state != cache.Miss:
					t.Errorf("state = %v, want %v", state, cache.Miss)
				}
			})
		})
	}
}

// TestMarks_removed requires that no other process waits for a value that will not come. Beside a stored value the mark may expire.
func TestMarks_removed(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name     string
		composed error
		unstored bool
		removed  bool
	}{
		{name: "stored"},
		{name: "failed", composed: errDown, removed: true},
		{name: "absent", composed: fault.ErrNotFound, removed: true},
		{name: "not_stored", unstored: true, removed: true},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			m := &documenttest.Memory{}
			e := process(picky{m, func(verb, collection string) bool { return test.unstored && verb == "put" && collection == "pages" }})
			s := &source{err: test.composed}
			_, _, _ = open(e).Fetch(t.Context(), key, []cache.Epoch{tenant}, s.compose)
			found, err := m.Get(t.Context(), e.Now(), markOf(key))
			if err != nil || (found[0] == nil) != test.removed || s.composed.Load() != 1 {
				t.Errorf("composed %d times, mark %v, %v; want it removed: %t", s.composed.Load(), found[0], err, test.removed)
			}
		})
	}
}

// markOf names the mark of a page that depends on an unchanged epoch.
func markOf(key document.Key) document.Name {
	return document.Name{Collection: "single-flight", ID: document.KeyOf("pages", key.String(), "[0]").String()}
}

func TestMarks_expired(t *testing.T) {
	t.Parallel()
	m := &documenttest.Memory{}
	e := process(m)
	_, _, err := open(e).Fetch(t.Context(), key, []cache.Epoch{tenant}, func(context.Context) (page, error) {
		e.Advance(6 * time.Second)
		abandon(t, e) // another process takes over, and still composes when this one fails
		return page{}, errDown
	})
	check.Error(t, err, errDown)
	found, err := m.Get(t.Context(), e.Now(), markOf(key))
	if err != nil || found[0] == nil {
		t.Errorf("the other's mark is gone: %v", err)
	}
}
