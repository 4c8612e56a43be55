package cache_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/platform/cache"
	"melmastoon.ghasi.io/shared/platform/document"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/forward"
	"melmastoon.ghasi.io/shared/testkit/check"
	"melmastoon.ghasi.io/shared/testkit/documenttest"
)

// A counted store notes from which collections was read.
type counted struct {
	document.Store
	mu   sync.Mutex
	read [][]string
}

func (c *counted) Get(ctx context.Context, now time.Time, names ...document.Name) ([]*document.Record, error) {
	var from []string
	for _, n := range names {
		from = append(from, n.Collection)
	}
	c.mu.Lock()
	c.read = append(c.read, from)
	c.mu.Unlock()
	return c.Store.Get(ctx, now, names...)
}

// since returns the reads since the previous call.
func (c *counted) since() [][]string {
	c.mu.Lock()
	defer c.mu.Unlock()
	read := c.read
	c.read = nil
	return read
}

func (c *counted) wants(t *testing.T, want ...[]string) {
	t.Helper()
	if got := c.since(); !slices.EqualFunc(got, want, slices.Equal[[]string]) {
		t.Errorf("read %v, want %v", got, want)
	}
}

// remembering is a process that has a value in memory, beside another on the same store.
func remembering(t *testing.T) (e, other env.Env, s *source, m *documenttest.Memory, c *counted) {
	m = &documenttest.Memory{}
	c, s = &counted{Store: m}, &source{text: "first"}
	e, other = process(c), process(m)
	fetch(t, e, s.compose, "first", cache.Miss)
	fetch(t, e, s.compose, "first", cache.Hit)
	c.since()
	return e, other, s, m, c
}

func TestMemory_readsOnlyEpochs(t *testing.T) {
	t.Parallel()
	e, _, s, _, c := remembering(t)
	for range 3 {
		fetch(t, e, s.compose, "first", cache.Hit)
	}
	c.wants(t, []string{"generations"}, []string{"generations"}, []string{"generations"})
	fetch(t, process(c), s.compose, "first", cache.Hit) // after a restart
	c.wants(t, []string{"generations", "pages"})
	for state := range 2 { // a value without epochs is valid for its time
		_, how, err := open(e).Fetch(t.Context(), document.KeyOf("free"), nil, s.compose)
		check.Must(t, err)
		check.Equal(t, how, []cache.State{cache.Miss, cache.Hit}[state])
	}
	c.since()
	_, _, err := open(e).Fetch(t.Context(), document.KeyOf("free"), nil, s.compose)
	check.Must(t, err)
	c.wants(t)
}

// A process must not serve a value from memory after another process has invalidated it, and must serve the new value at once.
func TestMemory_invalidatedByOtherProcess(t *testing.T) {
	t.Parallel()
	e, other, s, _, _ := remembering(t)
	s.set("second", nil)
	fetch(t, e, s.compose, "first", cache.Hit)
	invalidate(t, other, tenant)
	fetch(t, e, s.compose, "second", cache.Miss)
	fetch(t, e, s.compose, "second", cache.Hit)
	s.set("third", nil)
	invalidate(t, other, tenant)
	fetch(t, other, s.compose, "third", cache.Miss)
	fetch(t, e, s.compose, "third", cache.Hit)
	check.Equal(t, s.composed.Load(), 3, "compositions")
}

// A store that lost its data starts counting again. An epoch that was invalidated then must not equal the one in memory.
func TestInvalidate_lostCounter(t *testing.T) {
	t.Parallel()
	m, s := &documenttest.Memory{}, &source{text: "first"}
	e := process(m)
	invalidate(t, e, tenant)
	fetch(t, e, s.compose, "first", cache.Miss)
	fetch(t, e, s.compose, "first", cache.Hit)
	check.Must(t, m.Delete(t.Context(), document.Name{Collection: "generations", ID: document.KeyOf("tnt_1").String()}))
	e.Advance(time.Second)
	s.set("second", nil)
	invalidate(t, e, tenant)
	fetch(t, e, s.compose, "second", cache.Miss)
}

func TestMemory_expiry(t *testing.T) {
	t.Parallel()
	e, _, s, m, _ := remembering(t)
	s.set("second", nil)
	m.Refuse = func(string) error { return fault.ErrUnavailable } // the epochs cannot be read
	fetch(t, e, s.compose, "second", cache.Bypass)
	m.Refuse = nil
	e.Advance(policy.Fresh - time.Minute)
	fetch(t, e, s.compose, "first", cache.Hit)
	e.Advance(time.Minute)
	fetch(t, e, s.compose, "second", cache.Miss)
}

func TestPrefetch_readsOnce(t *testing.T) {
	t.Parallel()
	e, other, s, _, c := remembering(t)
	names := slices.Concat(open(e).Names(key, tenant), open(e).Names(document.KeyOf("cold"), tenant))
	seen := document.Prefetch(t.Context(), e, names...)
	ctx := seen.WithPrefetched(t.Context())
	for range 2 {
		if _, state, err := open(e).Fetch(ctx, key, []cache.Epoch{tenant}, s.compose); err != nil || state != cache.Hit {
			t.Errorf("got %s, %v", state, err)
		}
	}
	c.wants(t, []string{"generations", "pages"})
	// The composing process looks again: a value seen before an invalidation must not be stored after it.
	invalidate(t, other, tenant)
	for _, want := range []cache.State{cache.Miss, cache.Hit} {
		if _, state, err := open(e).Fetch(ctx, document.KeyOf("cold"), []cache.Epoch{tenant}, s.compose); err != nil || state != want {
			t.Errorf("cold: got %s, %v, want %s", state, err, want)
		}
		ctx = t.Context()
	}
}

func TestPut(t *testing.T) {
	t.Parallel()
	e := process(&documenttest.Memory{})
	open(e).Put(t.Context(), key, page{Text: "put"}, e.Now())
	never := func(context.Context) (page, error) { return page{Text: "composed"}, nil }
	got, state, err := open(e).Fetch(t.Context(), key, nil, never)
	switch {
	case err != nil:
		t.Errorf("err = %v, want nil", err)
	case got.Text != "put":
		t.Errorf(`got.Text = %q, want "put"`, got.Text)
	case state != cache.Hit:
		t.Errorf("state = %v, want %v", state, cache.Hit)
	}
}

func TestRemember(t *testing.T) {
	t.Parallel()
	e := process(&documenttest.Memory{Refuse: func(string) error { return errors.New("the store is not used") }})
	open := func(name string) *cache.Cache[int] { return cache.Open[int](e, name, cache.Policy{Fresh: time.Minute}) }
	l, forwarded := open("numbers"), forward.With(t.Context(), forward.Header{Name: "X", Value: "y"})
	l.Remember(forwarded, key, 1, e.Now())
	if got, ok := l.Remembered(t.Context(), key); ok {
		t.Errorf("got %d of a call with a forwarded header", got)
	}
	l.Remember(t.Context(), key, 2, e.Now())
	if got, ok := open("numbers").Remembered(t.Context(), key); !ok || got != 2 {
		t.Errorf("got %d, %v, want 2 from the same process", got, ok)
	}
	if got, ok := open("others").Remembered(t.Context(), key); ok {
		t.Errorf("got %d of another cache", got)
	}
	if got, ok := l.Remembered(forwarded, key); ok {
		t.Errorf("got %d in a call with a forwarded header", got)
	}
	e.Advance(time.Minute)
	if got, ok := l.Remembered(t.Context(), key); ok {
		t.Errorf("got %d after its life", got)
	}
}
