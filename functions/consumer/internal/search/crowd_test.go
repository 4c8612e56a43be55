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
	"melmastoon.ghasi.io/shared/testkit/check"
	"melmastoon.ghasi.io/shared/testkit/documenttest"
	"melmastoon.ghasi.io/test/seedrand"
)

// runSearches runs concurrent searches for a page of fifty on all processes in turn.
func runSearches(t *testing.T, b *searchtest.Services, calls, parallel int, processes ...env.Env) {
	t.Helper()
	var work sync.WaitGroup
	queue, kabul := make(chan *search.Searches), queryFor(processes[0], search.GeoQuery{Mode: search.City, City: "Kabul"})
	var searches []*search.Searches
	for _, e := range processes {
		searches = append(searches, search.OpenSearches(e))
	}
	for range parallel {
		work.Go(func() {
			for s := range queue {
				r, err := s.List(t.Context(), search.ListRequest{Query: kabul, Page: search.Page{Limit: 50}, Currency: money.USD})
				if err != nil {
					t.Error(err)
					continue
				}
				if len(r.Cards) != len(b.Hotels) {
					t.Errorf("len(r.Cards) = %d, want %d", len(r.Cards), len(b.Hotels))
					continue
				}
				check.Equal(t, r.Missing, nil)
				check.NotEqual(t, r.Cards[0].Rate, nil)
				check.Equal(t, r.Cards[0].Brand.Color, themed)
			}
		})
	}
	for i := range calls {
		queue <- searches[i%len(searches)]
	}
	close(queue)
	work.Wait()
}

// checkCalls fails the test unless the services got these numbers of requests since its start.
func checkCalls(t *testing.T, b *searchtest.Services, when string, want map[string]int) {
	t.Helper()
	check.Equal(t, b.AllCalls(), want, "%s: calls of other services", when)
}

func TestList_coldCrowd(t *testing.T) {
	t.Parallel()
	b, e, store := openServices(t, 50)
	e = e.With("TIMEOUT_FACTOR", "30") // so many at once keep a test machine busy for seconds
	other := documenttest.Give(env.Of(nil), store).With("TIMEOUT_FACTOR", "30")
	t.Cleanup(func() {
		check.NoError(t, other.Close(context.Background()))
	})
	crowd := seedrand.Iterations(t, 300, 1000)
	runSearches(t, b, crowd, crowd, e, b.Around(other))
	checkCalls(t, b, "searches of two processes", map[string]int{"searches": 1, "previews": 1, "brands": 1})
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
			b, e, memory := openServices(t, 20)
			hangs := !warm
			e = document.StoreKey.With(e.With("DOCUMENT_TIMEOUT", "20ms").With("DOCUMENT_PAUSE", "100ms"), hangingStore{memory, func() bool { return hangs }})
			if warm {
				runSearches(t, b, 3, 1, e)
				hangs = true
			}
			runSearches(t, b, 250, 10, e) // of five seconds
			checkCalls(t, b, "while the store hangs", map[string]int{"searches": 1, "previews": 1, "brands": 1})
			e.Advance(61 * time.Second) // lists and prices are over, brands are not
			runSearches(t, b, 250, 10, e)
			checkCalls(t, b, "a minute later", map[string]int{"searches": 2, "previews": 2, "brands": 1})
		})
	}
}
