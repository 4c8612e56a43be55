package search_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"melmastoon.ghasi.io/functions/consumer/internal/search"
	"melmastoon.ghasi.io/functions/consumer/internal/search/searchtest"
	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/platform/document"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/testkit/documenttest"
)

// searched runs concurrent searches for a page of fifty on all processes in turn.
func searched(t *testing.T, b *searchtest.Services, calls, parallel int, processes ...env.Env) {
	t.Helper()
	var work sync.WaitGroup
	queue, kabul := make(chan *search.Searches), wanted(processes[0], search.GeoQuery{Mode: search.City, City: "Kabul"})
	var searches []*search.Searches
	for _, e := range processes {
		searches = append(searches, search.OpenSearches(e))
	}
	for range parallel {
		work.Go(func() {
			for s := range queue {
				r, err := s.List(t.Context(), search.ListRequest{Query: kabul, Page: search.Page{Limit: 50}, Currency: money.USD})
				if err != nil || len(r.Cards) != len(b.Hotels) || r.Missing != nil || r.Cards[0].Rate == nil || r.Cards[0].Brand == nil {
					t.Errorf("got %d hotels, missing %v, %v", len(r.Cards), r.Missing, err)
				}
			}
		})
	}
	for i := range calls {
		queue <- searches[i%len(searches)]
	}
	close(queue)
	work.Wait()
}

// asked fails the test unless the services got these numbers of requests since its start.
func asked(t *testing.T, b *searchtest.Services, when string, want map[string]int) {
	t.Helper()
	for name, n := range want {
		if got := b.Asked(name); got != n {
			t.Errorf("%s: %s were asked for %d times, want %d", when, name, got, n)
		}
	}
}

func TestList_coldCrowd(t *testing.T) {
	t.Parallel()
	b, e, store := bazaar(t, 50)
	e = e.With("TIMEOUT_FACTOR", "30") // a thousand at once keep a test machine busy for seconds
	other := documenttest.Give(env.Of(nil), store).With("TIMEOUT_FACTOR", "30")
	t.Cleanup(func() {
		if err := other.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	searched(t, b, 1000, 1000, e, b.Around(other))
	asked(t, b, "1,000 searches of two processes", map[string]int{"searches": 1, "previews": 1, "brands": 1})
}

// A hangingStore does not answer while it hangs.
type hangingStore struct {
	document.Store
	hangs func() bool
}

func (h hangingStore) Get(ctx context.Context, now time.Time, names ...document.Name) ([]*document.Record, error) {
	if h.hangs() {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	return h.Store.Get(ctx, now, names...)
}

func TestList_storeHangs(t *testing.T) {
	t.Parallel()
	for name, warm := range map[string]bool{"from the start": false, "after a while": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b, e, memory := bazaar(t, 20)
			hangs := !warm
			e = document.StoreKey.With(e.With("DOCUMENT_TIMEOUT", "20ms").With("DOCUMENT_PAUSE", "100ms"), hangingStore{memory, func() bool { return hangs }})
			if warm {
				searched(t, b, 3, 1, e)
				hangs = true
			}
			searched(t, b, 250, 10, e) // of five seconds
			asked(t, b, "while the store hangs", map[string]int{"searches": 1, "previews": 1, "brands": 1})
			e.Advance(61 * time.Second) // lists and prices are over, brands are not
			searched(t, b, 250, 10, e)
			asked(t, b, "a minute later", map[string]int{"searches": 2, "previews": 2, "brands": 1})
		})
	}
}
