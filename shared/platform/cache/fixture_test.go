package cache_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/local/documents"
	"melmastoon.ghasi.io/shared/platform/cache"
	"melmastoon.ghasi.io/shared/platform/document"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/testkit/check"
	"melmastoon.ghasi.io/shared/testkit/documenttest"
	"melmastoon.ghasi.io/shared/testkit/pgtest"
)

// A page is the cached value of the tests.
type page struct {
	Text string   `json:"text"`
	List []string `json:"list"`
}

var (
	key    = document.KeyOf("tnt_1", "fa-AF")
	tenant = cache.Of("tnt_1")
	policy = cache.Policy{Fresh: 5 * time.Minute, Stale: 30 * time.Minute}
)

const maxWait = 20 * time.Second

// process is an environment that shares nothing with other processes but the store.
func process(s document.Store) env.Env { return documenttest.Give(env.Of(nil), s) }

// onPostgres are two processes on one database.
func onPostgres(t testing.TB) [2]env.Env {
	t.Helper()
	d := pgtest.New(t)
	var both [2]env.Env
	for i := range both {
		e := env.Of(map[string]string{"DATABASE_URL": d.URL(), "DATABASE_POOL": "8"})
		t.Cleanup(func() { check.Must(t, e.Close(context.Background())) })
		both[i] = documenttest.Give(e, documents.Open(e))
	}
	return both
}

// A source composes pages and counts how often.
type source struct {
	mu       sync.Mutex
	text     string
	err      error
	composed atomic.Int32
}

func (s *source) set(text string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.text, s.err = text, err
}

func (s *source) compose(context.Context) (page, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.composed.Add(1)
	return page{s.text, []string{s.text}}, s.err
}

// fetch expects an answer.
func fetch(t testing.TB, e env.Env, compose func(context.Context) (page, error), text string, state cache.State) {
	t.Helper()
	got, how, err := open(e).Fetch(t.Context(), key, []cache.Epoch{tenant}, compose)
	switch {
	case err != nil:
		t.Errorf("err = %v, want nil", err)
	case got.Text != text:
		t.Errorf("got.Text = %v, want %v", got.Text, text)
	case how != state:
		t.Errorf("how = %v, want %v", how, state)
	}
}

func open(e env.Env) *cache.Cache[page] { return cache.Open[page](e, "pages", policy) }

func invalidate(t testing.TB, e env.Env, g ...cache.Epoch) {
	t.Helper()
	check.Must(t, cache.Invalidate(t.Context(), e, g...))
}

// await waits for a signal.
func await(t testing.TB, signal <-chan struct{}, what string) {
	t.Helper()
	select {
	case <-signal:
	case <-time.After(maxWait):
		t.Fatalf("never happened: %s", what)
	}
}

var errDown = fault.ErrUpstreamUnavailable.Because(errors.New("no route to the theme service"))

// The reader key identifies a reader in its context, so that a watched store knows the caller.
type reader struct{}

// watched tells when so many readers have each looked once.
type watched struct {
	document.Store
	mu     sync.Mutex
	looked map[any]bool
	want   int
	all    chan struct{}
}

func watch(s document.Store, readers int) *watched {
	return &watched{Store: s, looked: map[any]bool{}, want: readers, all: make(chan struct{})}
}

func (w *watched) Get(ctx context.Context, now time.Time, names ...document.Name) ([]*document.Record, error) {
	found, err := w.Store.Get(ctx, now, names...)
	w.mu.Lock()
	defer w.mu.Unlock()
	if who := ctx.Value(reader{}); who != nil && !w.looked[who] {
		w.looked[who] = true
		if len(w.looked) == w.want {
			close(w.all)
		}
	}
	return found, err
}

// dawdling is a store whose first answer to a named reader is delayed.
type dawdling struct {
	document.Store
	once           sync.Once
	looked, arrive chan struct{} // the answer is known; it may arrive
}

func (d *dawdling) Get(ctx context.Context, now time.Time, names ...document.Name) ([]*document.Record, error) {
	found, err := d.Store.Get(ctx, now, names...)
	if ctx.Value(reader{}) != nil {
		d.once.Do(func() {
			close(d.looked)
			<-d.arrive
		})
	}
	return found, err
}

// picky is a store of which some uses fail, by collection.
type picky struct {
	document.Store
	refuse func(verb, collection string) bool
}

func (p picky) Create(ctx context.Context, now time.Time, name document.Name, r document.Record) (bool, error) {
	if p.refuse("create", name.Collection) {
		return false, fault.ErrUnavailable
	}
	return p.Store.Create(ctx, now, name, r)
}

func (p picky) Put(ctx context.Context, now time.Time, name document.Name, r document.Record) (bool, error) {
	if p.refuse("put", name.Collection) {
		return false, fault.ErrUnavailable
	}
	return p.Store.Put(ctx, now, name, r)
}
