package search_test

import (
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"melmastoon.ghasi.io/functions/consumer/internal/search"
	"melmastoon.ghasi.io/functions/consumer/internal/search/searchtest"
	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/platform/cache"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/testkit/check"
	"melmastoon.ghasi.io/shared/testkit/documenttest"
	"melmastoon.ghasi.io/shared/testkit/upstreamtest"
)

func TestSuspended_oneDocument(t *testing.T) {
	t.Parallel()
	b, e, memory := openServices(t, 50)
	store := &searchtest.Reads{Store: memory}
	e = documenttest.Give(e, store)
	directory, all := search.OpenTenants(e), tenants(b)
	var want []id.Tenant
	for i, tenant := range all {
		check.Must(t, directory.Apply(t.Context(), tenant, i%2 == 0, e.Now()))
		if i%2 == 0 {
			want = append(want, tenant)
		}
	}
	store.Since()
	got := directory.Suspended(t.Context(), all)
	for _, tenant := range all {
		check.Equal(t, got[tenant], slices.Contains(want, tenant), "%s: suspended", tenant)
	}
	check.Equal(t, len(store.Since()), 1, "read")
}

// Events arrive in any order, repeatedly, at several processes at once, and from wrong clocks. The latest by occurredAt decides.
func TestSuspended_disorder(t *testing.T) {
	t.Parallel()
	b, e, store := openServices(t, 24)
	all, now := tenants(b), e.Now()
	var applying sync.WaitGroup
	for i, tenant := range all {
		directory := search.OpenTenants(documenttest.Give(env.Of(nil), store)) // of another process
		for _, applied := range []struct {
			suspended bool
			at        time.Duration
		}{
			{i%2 == 0, 2 * time.Minute}, {i%2 != 0, time.Minute}, {i%2 == 0, 2 * time.Minute}, {i%2 != 0, -time.Minute},
			{i%2 != 0, -16 * time.Minute}, {i%2 != 0, 365 * 24 * time.Hour},
		} {
			applying.Go(func() {
				check.NoError(t, directory.Apply(t.Context(), tenant, applied.suspended, now.Add(applied.at)))
			})
		}
	}
	applying.Wait()
	got := search.OpenTenants(e).Suspended(t.Context(), all)
	for i, tenant := range all {
		check.Equal(t, got[tenant], i%2 == 0, "tenant %d: suspended", i)
	}
}

// While the tenant service fails, the last event decides for as long as it does for lists.
func TestFind_tenantServiceDown(t *testing.T) {
	t.Parallel()
	b, e, _ := openServices(t, 1)
	directory, tenant := search.OpenTenants(e), b.Hotels[0].Tenant
	find := func(want bool) {
		t.Helper()
		found, err := directory.Find(t.Context(), tenant)
		check.Must(t, err)
		check.Equal(t, found.Suspended(), want)
	}
	find(false)
	b.SetBehavior("tenants", upstreamtest.Failing)
	check.Must(t, search.OpenInvalidator(e).ApplyStatus(t.Context(), tenant, true, e.Now()))
	find(true)
	e.Advance(14 * time.Minute)
	find(true)
	e.Advance(time.Minute)
	find(false) // the last answer of the tenant service
}

// Several processes receive events about hotels of one area at once. A list of the area is found again, once.
func TestIndexed_concurrently(t *testing.T) {
	t.Parallel()
	b, e, store := openServices(t, 3)
	b.Cells = []string{"h3:8420905ffffffff"}
	listings := search.OpenListings(e)
	find := func(want cache.State) {
		t.Helper()
		_, state, err := listings.Find(t.Context(), queryFor(e, search.GeoQuery{Mode: search.City, City: "Kabul"}), money.USD, search.Page{Limit: 20})
		check.Must(t, err)
		check.Equal(t, state, want)
	}
	find(cache.Miss)
	find(cache.Hit)
	e.Advance(time.Second)
	var applying sync.WaitGroup
	for range 24 {
		applying.Go(func() {
			process := search.OpenInvalidator(documenttest.Give(e, store))
			check.NoError(t, process.InvalidateListing(t.Context(), id.New[id.Property](), "h3:8a20905b4a9ffff"))
		})
	}
	applying.Wait()
	find(cache.Miss)
	find(cache.Hit)
}

// While a city is indexed again, its lists are renewed every five seconds at most. The last change appears.
func TestIndexed_city(t *testing.T) {
	t.Parallel()
	const (
		seconds = 40
		asked   = 10 // searches a second
		events  = 6  // a second
	)
	b, e, _ := openServices(t, 8)
	b.Cells = []string{"h3:8420905ffffffff"}
	searches, invalidator := search.OpenSearches(e), search.OpenInvalidator(e)
	query := queryFor(e, search.GeoQuery{Mode: search.City, City: "Kabul"})
	list := func() search.Results {
		t.Helper()
		found, err := searches.List(t.Context(), search.ListRequest{Query: query, Page: search.Page{Limit: 20}, Locale: "en", Currency: money.AFN})
		check.Must(t, err)
		return found
	}
	index := func(hotel int) {
		t.Helper()
		check.Must(t, invalidator.InvalidateListing(t.Context(), b.Hotels[hotel].Property, "h3:8a20905b4a9ffff"))
	}
	list()
	began, hits, indexed := e.Now(), 0, 0
	for i := range seconds * asked {
		for ; indexed*asked < i*events; indexed++ {
			index(indexed % len(b.Hotels))
		}
		if list().State == cache.Hit {
			hits++
		}
		e.Advance(time.Second / asked)
	}
	if want := seconds * asked * 9 / 10; hits < want {
		t.Errorf("hits = %d of %d, want at least %d", hits, seconds*asked, want)
	}
	most := int(e.Now().Sub(began)/(5*time.Second)) + 3
	if n := max(b.Calls("searches"), b.Calls("previews")); n > most {
		t.Errorf("calls of one route = %d, want at most %d", n, most)
	}
	b.Do(func() { b.Hotels[0].Name.Default = "Renamed" })
	index(0)
	e.Advance(5 * time.Second)
	check.Equal(t, list().Cards[0].Name.Default, "Renamed", "five seconds after the last change: name")
	calls := b.Calls("searches")
	for range 3 {
		e.Advance(5 * time.Second)
		list()
	}
	if n := b.Calls("searches") - calls; n > 1 {
		t.Errorf("calls of searches after the last change = %d, want at most 1", n)
	}
}

// While the search service fails, a list from before the change is shown as stale.
func TestIndexed_searchServiceDown(t *testing.T) {
	t.Parallel()
	b, e, _ := openServices(t, 3)
	b.Cells = []string{"h3:8420905ffffffff"}
	listings := search.OpenListings(e)
	box := queryFor(e, search.GeoQuery{Mode: search.Box, Box: &search.BoundingBox{SwLat: 34, SwLng: 69, NeLat: 35, NeLng: 70}})
	ask := func(want cache.State, hotels int) {
		t.Helper()
		list, state, err := listings.Find(t.Context(), queryFor(e, search.GeoQuery{Mode: search.City, City: "Kabul"}), money.USD, search.Page{Limit: 20})
		check.Must(t, err)
		check.Equal(t, state, want, "list")
		check.Equal(t, len(list.Listings), hotels)
		found, state, err := listings.Pins(t.Context(), box)
		check.Must(t, err)
		check.Equal(t, state, want, "map")
		check.Equal(t, len(found.Pins), hotels, "map: pins")
	}
	ask(cache.Miss, 3)
	e.Advance(time.Second)
	b.Do(func() { b.Hotels = b.Hotels[:2] })
	check.Must(t, search.OpenInvalidator(e).InvalidateListing(t.Context(), id.New[id.Property](), "h3:8a20905b4a9ffff"))
	for _, behavior := range []upstreamtest.Behavior{upstreamtest.Failing, upstreamtest.Garbled, upstreamtest.Garbage} {
		b.SetBehavior("searches", behavior)
		b.SetBehavior("pins", behavior)
		ask(cache.Stale, 3)
	}
	b.SetBehavior("searches", upstreamtest.Working)
	b.SetBehavior("pins", upstreamtest.Working)
	e.Advance(5 * time.Second) // for the circuit breaker
	ask(cache.Miss, 2)
	ask(cache.Hit, 2)
}

func TestPins_impossibleCounts(t *testing.T) {
	t.Parallel()
	b, e, _ := openServices(t, 3)
	b.Hidden = -1 // the pins represent more hotels than there are
	box := queryFor(e, search.GeoQuery{Mode: search.Box, Box: &search.BoundingBox{SwLat: 34, SwLng: 69, NeLat: 35, NeLng: 70}})
	if _, _, err := search.OpenListings(e).Pins(t.Context(), box); !errors.Is(err, fault.ErrUpstreamUnavailable) {
		t.Errorf("error = %v, want %v", err, fault.ErrUpstreamUnavailable)
	}
}
