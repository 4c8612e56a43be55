package faults

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"melmastoon.ghasi.io/functions/demo/sandbox/demo"
	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/local/documents"
	"melmastoon.ghasi.io/shared/platform/document"
	"melmastoon.ghasi.io/shared/testkit/check"
	"melmastoon.ghasi.io/shared/testkit/pgtest"
	"melmastoon.ghasi.io/test/system"
)

// A faultyStore is the store of hot documents with faults that a test switches on.
type faultyStore struct {
	document.Store
	failure atomic.Int64
	used    atomic.Int64 // number of uses while it was not healthy
}

// The failures of a faultyStore.
const (
	healthy = iota
	down    // fails at once
	hanging // never answers
	garbled // returns damaged documents
)

// is returns the failure of a call, and counts it.
func (s *faultyStore) is(ctx context.Context) error {
	failure := s.failure.Load()
	if failure != healthy {
		s.used.Add(1)
	}
	switch failure {
	case down:
		return fault.ErrUnavailable
	case hanging:
		<-ctx.Done()
		return ctx.Err()
	}
	return nil
}

// Get is document.Store's.
func (s *faultyStore) Get(ctx context.Context, now time.Time, names ...document.Name) ([]*document.Record, error) {
	if err := s.is(ctx); err != nil {
		return nil, err
	}
	found, err := s.Store.Get(ctx, now, names...)
	if s.failure.Load() == garbled {
		for _, r := range found {
			if r != nil {
				r.Value, r.Version = []byte(`{"v":1,"x":[`), r.Version+1<<40
			}
		}
	}
	return found, err
}

// Create is document.Store's.
func (s *faultyStore) Create(ctx context.Context, now time.Time, name document.Name, r document.Record) (bool, error) {
	if err := s.is(ctx); err != nil {
		return false, err
	}
	return s.Store.Create(ctx, now, name, r)
}

// Put is document.Store's.
func (s *faultyStore) Put(ctx context.Context, now time.Time, name document.Name, r document.Record) (bool, error) {
	if err := s.is(ctx); err != nil {
		return false, err
	}
	return s.Store.Put(ctx, now, name, r)
}

// Delete is document.Store's.
func (s *faultyStore) Delete(ctx context.Context, name document.Name) error {
	if err := s.is(ctx); err != nil {
		return err
	}
	return s.Store.Delete(ctx, name)
}

// Add is document.Store's.
func (s *faultyStore) Add(ctx context.Context, now time.Time, name document.Name, n int64, until time.Time) (int64, error) {
	if err := s.is(ctx); err != nil {
		return 0, err
	}
	return s.Store.Add(ctx, now, name, n, until)
}

// openWithFaultyStore opens a system whose hot documents are in a faultyStore.
func openWithFaultyStore(t *testing.T) (*system.System, *faultyStore) {
	t.Helper()
	db := pgtest.New(t)
	own := &faultyStore{Store: documents.Open(db.Env())}
	// As deployed, for calls that have as many times their budget; but sooner well again.
	timeout := db.Env().Timeout(150 * time.Millisecond)
	e := db.Env().With("DOCUMENT_TIMEOUT", timeout.String()).With("DOCUMENT_PAUSE", "500ms")
	return system.Within(t, db, document.StoreKey.With(e, own)), own
}

// recalls waits until the store, which is well again, is no longer left alone.
func recalls(t *testing.T, v *system.Visitor) {
	t.Helper()
	again := time.NewTicker(50 * time.Millisecond)
	defer again.Stop()
	for deadline := time.Now().Add(20 * time.Second); ; <-again.C {
		if v.Must(http.StatusOK, http.MethodGet, "/policies", nil).Header.Get("X-Cache") == "HIT" {
			return
		}
		if time.Now().After(deadline) {
			t.Fatal("the store is well, and still nobody asks it")
		}
	}
}

// empty clears the shelf.
func empty(t *testing.T, s *system.System) {
	t.Helper()
	check.Got(s.DB.Owner(t).Exec(t.Context(), `DELETE FROM document.documents`)).Must(t)
}

// way is what a guest does, step by step.
var way = []struct {
	name string
	step func(*testing.T, *system.Visitor)
}{
	{"asks", func(_ *testing.T, v *system.Visitor) { v.RequestQuote(system.Usual()) }},
	{"holds", func(_ *testing.T, v *system.Visitor) { v.Hold() }},
	{"says who they are", func(_ *testing.T, v *system.Visitor) { v.Name() }},
	{"pays", func(_ *testing.T, v *system.Visitor) { v.Pay("card") }},
	{"looks", func(_ *testing.T, v *system.Visitor) { v.State() }},
	{"is at the bank", func(_ *testing.T, v *system.Visitor) { v.Press("pay") }},
	{"comes back", func(t *testing.T, v *system.Visitor) {
		if a := v.Return(); a.Status != http.StatusOK || v.FlowState != "confirmed" {
			t.Errorf("came back to %d %s", a.Status, a.Body)
		}
	}},
	{"reads", func(_ *testing.T, v *system.Visitor) {
		v.Must(http.StatusOK, http.MethodGet, "/confirmation/"+v.ReservationID, nil)
	}},
}

// TestSiteStore_goesOnWithout takes the store away before every step of a booking, in every way in which it can go. The
// guest, whose session is in a signed cookie and whose booking is in SQL, gets a room all the same.
func TestSiteStore_goesOnWithout(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		failure int64
		empty   bool // cleared before every step
	}{"emptied": {healthy, true}, "down": {down, false}, "hanging": {hanging, false}, "garbled": {garbled, false}, "emptied and garbled": {garbled, true}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, own := openWithFaultyStore(t)
			for from := range way {
				v := s.Visit(demo.KabulGrand)
				session := v.Session()
				for n, doing := range way {
					if n >= from {
						own.failure.Store(test.failure)
					}
					if n >= from && test.empty {
						empty(t, s)
					}
					doing.step(t, v)
				}
				e := v.End()
				check.Equal(t, e.State, "confirmed", "after the guest %s", way[from].name)
				check.Equal(t, e.Session, v.Session(), "after the guest %s", way[from].name)
				if v.Session() == session {
					t.Errorf("gone when the guest %s: v.Session() = %v, want a different value", way[from].name, v.Session())
				}
				own.failure.Store(healthy)
				recalls(t, v)
			}
			if test.failure != healthy && own.used.Load() == 0 {
				t.Error("own.used.Load() = 0, want uses of the store")
			}
			s.Settle()
		})
	}
}

// TestSiteStore_opensWithout visits while it is away: every page is there, only slower.
func TestSiteStore_opensWithout(t *testing.T) {
	t.Parallel()
	s, own := openWithFaultyStore(t)
	own.failure.Store(down)
	v := s.Visit(demo.KabulGrand)
	for _, path := range []string{"/bootstrap", "/policies", "/properties", nights(v)} {
		t.Run(path, func(t *testing.T) {
			a := v.Must(http.StatusOK, http.MethodGet, path, nil)
			if got := a.Header.Get("X-Cache"); got == "HIT" {
				t.Errorf("X-Cache = %q without a store, want another state", got)
			}
		})
	}
	a := v.Send(http.MethodPatch, "/session", map[string]any{"currency": "USD"})
	if !slices.Contains([]int{http.StatusOK, http.StatusServiceUnavailable}, a.Status) {
		t.Errorf("choosing a currency: %d %s", a.Status, a.Body)
	}
	own.failure.Store(healthy)
	recalls(t, v)
	v.Must(http.StatusOK, http.MethodPatch, "/session", map[string]any{"currency": "USD"})
}

// nights is the path that asks for the rooms of a stay.
func nights(v *system.Visitor) string {
	w := v.QuoteBody(system.Usual())["stayWindow"].(map[string]any)
	return fmt.Sprintf("/availability?propertyId=%s&checkIn=%s&checkOut=%s&adults=2", v.Hotel.Property, w["checkIn"], w["checkOut"])
}

// TestSiteStore_hangs has the store say nothing at all: every answer comes in its time, and is a right one.
func TestSiteStore_hangs(t *testing.T) {
	t.Parallel()
	s, own := openWithFaultyStore(t)
	v := s.Visit(demo.KabulGrand).Book(system.Usual(), "card")
	own.failure.Store(hanging)
	for _, c := range calls(v) {
		a, took := c.timed(t, v)
		t.Logf("%s: %d %s after %v", c.name, a.Status, a.Code(), took.Round(time.Millisecond))
		if has := s.Env().Timeout(c.budget); took > has+grace {
			t.Errorf("%s took %v, has %v", c.name, took, has)
		}
		c.check(t, a, "")
		if a.Status >= http.StatusInternalServerError {
			t.Errorf("%s answered %d %s: it can do without", c.name, a.Status, a.Body)
		}
	}
	own.failure.Store(healthy)
	expectRecovery(t, s, v)
}
