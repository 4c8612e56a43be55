package documenttest

import (
	"context"
	"runtime"
	"slices"
	"testing"
	"time"

	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/platform/document"
	"melmastoon.ghasi.io/shared/testkit/check"
)

// setupOn returns a setup whose stores are all s, so records survive a restart.
func setupOn(s document.Store) func(testing.TB) Setup {
	return func(testing.TB) Setup {
		return Setup{Open: func() document.Store { return s }, Unreachable: unreachable, Silent: silent}
	}
}

func unreachable() document.Store {
	return &Memory{Refuse: func(string) error { return fault.ErrUnavailable }}
}

// silent waits for as long as its caller does.
func silent() document.Store { return &hanging{} }

// A hanging store never answers.
type hanging struct {
	Memory
	silent bool // does not answer after the caller has left, either
}

func (h *hanging) hang(ctx context.Context) error {
	if h.silent {
		ctx = context.WithoutCancel(ctx)
	}
	<-ctx.Done()
	return ctx.Err()
}

func (h *hanging) Get(ctx context.Context, _ time.Time, _ ...document.Name) ([]*document.Record, error) {
	return nil, h.hang(ctx)
}

func (h *hanging) Create(ctx context.Context, _ time.Time, _ document.Name, _ document.Record) (bool, error) {
	return false, h.hang(ctx)
}

func (h *hanging) Put(ctx context.Context, _ time.Time, _ document.Name, _ document.Record) (bool, error) {
	return false, h.hang(ctx)
}

func (h *hanging) Delete(ctx context.Context, _ document.Name) error { return h.hang(ctx) }

func (h *hanging) Add(ctx context.Context, _ time.Time, _ document.Name, _ int64, _ time.Time) (int64, error) {
	return 0, h.hang(ctx)
}

func TestMemoryConforms(t *testing.T) {
	t.Parallel()
	Conform(t, func(t testing.TB) Setup { return setupOn(&Memory{})(t) })
}

// A faultyStore is a store that does one thing wrong. What is not set it does right.
type faultyStore struct {
	*Memory
	get    func(m *Memory, ctx context.Context, now time.Time, names []document.Name) ([]*document.Record, error)
	create func(m *Memory, ctx context.Context, now time.Time, n document.Name, r document.Record) (bool, error)
	put    func(m *Memory, ctx context.Context, now time.Time, n document.Name, r document.Record) (bool, error)
	remove func(m *Memory, ctx context.Context, n document.Name) error
	add    func(m *Memory, ctx context.Context, now time.Time, n document.Name, by int64, until time.Time) (int64, error)
}

func (s *faultyStore) Get(ctx context.Context, now time.Time, names ...document.Name) ([]*document.Record, error) {
	if s.get != nil {
		return s.get(s.Memory, ctx, now, names)
	}
	return s.Memory.Get(ctx, now, names...)
}

func (s *faultyStore) Create(ctx context.Context, now time.Time, n document.Name, r document.Record) (bool, error) {
	if s.create != nil {
		return s.create(s.Memory, ctx, now, n, r)
	}
	return s.Memory.Create(ctx, now, n, r)
}

func (s *faultyStore) Put(ctx context.Context, now time.Time, n document.Name, r document.Record) (bool, error) {
	if s.put != nil {
		return s.put(s.Memory, ctx, now, n, r)
	}
	return s.Memory.Put(ctx, now, n, r)
}

func (s *faultyStore) Delete(ctx context.Context, n document.Name) error {
	if s.remove != nil {
		return s.remove(s.Memory, ctx, n)
	}
	return s.Memory.Delete(ctx, n)
}

func (s *faultyStore) Add(ctx context.Context, now time.Time, n document.Name, by int64, until time.Time) (int64, error) {
	if s.add != nil {
		return s.add(s.Memory, ctx, now, n, by, until)
	}
	return s.Memory.Add(ctx, now, n, by, until)
}

// force stores a record whatever is there.
func (m *Memory) force(ctx context.Context, n document.Name, r document.Record) (bool, error) {
	return true, m.use(ctx, "force", func() { m.keep(n, r) })
}

// dither lets others go first, as a network does.
func dither() {
	for range 50 {
		runtime.Gosched()
	}
}

// TestConform_faultyStores runs each check on a store with a likely mistake. The check must fail.
func TestConform_faultyStores(t *testing.T) {
	t.Parallel()
	refused := map[string]bool{}
	for _, s := range faultyStores {
		refused[s.check] = true
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			run, ok := checks[s.check]
			if !ok {
				t.Fatalf("unknown check %q", s.check)
			}
			if check.Failures(t, func(t testing.TB) { run(t, s.fixture()) }) == "" {
				t.Errorf("the check %q passes, want a failure", s.check)
			}
		})
	}
	for name, run := range checks {
		if !refused[name] {
			t.Errorf("no faulty store fails the check %q", name)
		}
		check.Equal(t, check.Failures(t, func(t testing.TB) { run(t, setupOn(&Memory{})(t)) }), "", "%s: found in an honest store", name)
	}
}

func setupOf(s *faultyStore) func() Setup {
	return func() Setup {
		s.Memory = &Memory{}
		return Setup{Open: func() document.Store { return s }, Unreachable: unreachable, Silent: silent}
	}
}

// records strips an answer of its gaps.
func records(found []*document.Record) []*document.Record {
	return slices.DeleteFunc(found, func(r *document.Record) bool { return r == nil })
}
