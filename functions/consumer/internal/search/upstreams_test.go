package search_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"melmastoon.ghasi.io/functions/consumer/internal/search"
	"melmastoon.ghasi.io/functions/consumer/internal/search/searchtest"
	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/platform/cache"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/forward"
	"melmastoon.ghasi.io/shared/stay"
	"melmastoon.ghasi.io/shared/testkit/check"
	"melmastoon.ghasi.io/shared/testkit/documenttest"
	"melmastoon.ghasi.io/shared/testkit/upstreamtest"
)

// openServices returns fake services, with a store for documents and nothing else of the service.
func openServices(t *testing.T, hotels int) (*searchtest.Services, env.Env, *documenttest.Memory) {
	t.Helper()
	store, b := &documenttest.Memory{}, searchtest.Open(t, hotels)
	e := documenttest.Give(env.Of(nil), store).With("TIMEOUT_FACTOR", "4") // time enough on a machine that stands still for a second
	t.Cleanup(func() {
		check.NoError(t, e.Close(context.Background()))
	})
	return b, b.Around(e), store
}

func tenants(b *searchtest.Services) (all []id.Tenant) {
	for _, h := range b.Hotels {
		all = append(all, h.Tenant)
	}
	return all
}

func trip(e env.Env, c money.Currency) search.Trip {
	day := stay.DateOf(e.Now()).AddDays(7)
	return search.Trip{Dates: search.DateRange{CheckIn: day, CheckOut: day.AddDays(2)}, Occupancy: search.Occupancy{Adults: 2, Rooms: 1}, Currency: c}
}

func TestBrands_fewCalls(t *testing.T) {
	t.Parallel()
	b, e, _ := openServices(t, 220)
	brands, all := search.OpenBrands(e), tenants(b)
	peek := func(of []id.Tenant, want cache.State, asked int) {
		t.Helper()
		looks, state, err := brands.Get(t.Context(), of)
		check.Must(t, err)
		check.Equal(t, state, want)
		check.Equal(t, b.Calls("brands"), asked)
		for _, tenant := range of {
			check.MustEqual(t, looks[tenant].Color, "#1a2b3c", "%s", tenant.String())
		}
	}
	peek(nil, cache.Hit, 0)
	peek(append(slices.Clone(all[:60]), all[:60]...), cache.Miss, 1)
	peek(all[10:50], cache.Hit, 1)
	peek(all, cache.Miss, 3) // the 160 that are not known
	e.Advance(5 * time.Minute)
	peek(all[:1], cache.Miss, 4)
	played := forward.With(t.Context(), forward.Header{Name: "X-Sandbox-Scenario", Value: "upstream_slow"})
	_, state, err := brands.Get(played, all[:1])
	check.Must(t, err, "in a scenario")
	check.Equal(t, state, cache.Bypass, "in a scenario")
	check.Equal(t, b.Calls("brands"), 5, "in a scenario")
}

func TestBrands_themeServiceDown(t *testing.T) {
	t.Parallel()
	b, e, store := openServices(t, 2)
	brands, all := search.OpenBrands(e), tenants(b)
	if _, _, err := brands.Get(t.Context(), all[:1]); err != nil {
		t.Fatal(err)
	}
	b.SetBehavior("brands", upstreamtest.Failing)
	e.Advance(30 * time.Minute)
	looks, state, err := brands.Get(t.Context(), all[:1])
	check.Must(t, err, "the known one")
	check.Equal(t, state, cache.Stale, "the known one")
	check.Equal(t, len(looks), 1, "the known one")
	looks, state, err = brands.Get(t.Context(), all)
	check.Error(t, err, fault.ErrUpstreamUnavailable, "both")
	check.Equal(t, state, cache.Stale, "both")
	check.Equal(t, len(looks), 1, "both")
	e.Advance(6 * time.Minute)
	looks, _, err = brands.Get(t.Context(), all[:1])
	if err == nil {
		t.Error("later: error = nil, want a value")
	}
	check.Equal(t, len(looks), 0, "later")
	b.SetBehavior("brands", upstreamtest.Working)
	e.Advance(5 * time.Second) // for the breaker
	store.Refuse = func(string) error { return fault.ErrUnavailable }
	looks, state, err = brands.Get(t.Context(), all)
	check.Must(t, err, "without a store")
	check.Equal(t, state, cache.Bypass, "without a store")
	check.Equal(t, len(looks), 2, "without a store")
}

func TestPreview_cacheKey(t *testing.T) {
	t.Parallel()
	b, e, _ := openServices(t, 3)
	prices := search.OpenPrices(e)
	hotels := []id.Property{b.Hotels[0].Property, b.Hotels[1].Property}
	base, asked := trip(e, money.USD), 0
	ask := func(name string, of []id.Property, trip search.Trip, anew bool) {
		t.Helper()
		found, _, err := prices.Preview(t.Context(), of, trip)
		if anew {
			asked++
		}
		check.Must(t, err, "%s", name)
		check.Equal(t, len(found), len(of), "%s", name)
		check.Equal(t, b.Calls("previews"), asked, "%s", name)
	}
	ask("first", hotels, base, true)
	ask("again", hotels, base, false)
	ask("in another order", []id.Property{hotels[1], hotels[0]}, base, false)
	ask("other hotels", hotels[:1], base, true)
	for name, change := range map[string]func(*search.Trip){
		"another day": func(t *search.Trip) { t.Dates.CheckIn = t.Dates.CheckIn.AddDays(1) }, "one more night": func(t *search.Trip) { t.Dates.CheckOut = t.Dates.CheckOut.AddDays(1) },
		"more adults": func(t *search.Trip) { t.Occupancy.Adults = 3 }, "child": func(t *search.Trip) { t.Occupancy.Children = 1 },
		"another room": func(t *search.Trip) { t.Occupancy.Rooms = 2 }, "another currency": func(t *search.Trip) { t.Currency = money.AFN },
	} {
		other := base
		change(&other)
		ask(name, hotels, other, true)
	}
	e.Advance(time.Minute)
	ask("a minute later", hotels, base, true)
	check.Must(t, search.OpenInvalidator(e).InvalidateListing(t.Context(), hotels[0], ""))
	ask("after one was indexed", hotels, base, true)
	ask("another's", []id.Property{b.Hotels[2].Property}, base, true)
}

// TestPreview_timeout gives up a price preview that hangs. Without a timeout of its own it would wait for the caller's.
func TestPreview_timeout(t *testing.T) {
	t.Parallel()
	b, e, _ := openServices(t, 1)
	b.SetBehavior("previews", upstreamtest.Hanging)
	ctx, cancel := context.WithTimeout(t.Context(), e.Timeout(time.Minute))
	defer cancel()
	began := e.Now()
	_, _, err := search.OpenPrices(e).Preview(ctx, []id.Property{b.Hotels[0].Property}, trip(e, money.USD))
	if err == nil || ctx.Err() != nil {
		t.Errorf("error = %v, caller: %v, want an error before the caller's timeout", err, ctx.Err())
	}
	if took, least := e.Now().Sub(began), e.Timeout(800*time.Millisecond); took < least {
		t.Errorf("took = %v, want at least %v", took, least)
	}
}

func TestUpstreams_invalidAnswers(t *testing.T) {
	t.Parallel()
	for name, ask := range map[string]func(context.Context, *searchtest.Services, env.Env) error{
		"searches": func(ctx context.Context, _ *searchtest.Services, e env.Env) error {
			_, _, err := search.OpenListings(e).Find(ctx, search.Query{}, money.USD, search.Page{Limit: 1})
			return err
		},
		"pins": func(ctx context.Context, _ *searchtest.Services, e env.Env) error {
			_, _, err := search.OpenListings(e).Pins(ctx, search.Query{Geo: search.GeoQuery{Mode: search.Box, Box: &search.BoundingBox{SwLat: 34, SwLng: 69, NeLat: 35, NeLng: 70}}})
			return err
		},
		"listings": func(ctx context.Context, b *searchtest.Services, e env.Env) error {
			_, _, err := search.OpenSelections(e).Of(ctx, []id.Property{b.Hotels[0].Property})
			return err
		},
		"similar": func(ctx context.Context, b *searchtest.Services, e env.Env) error {
			_, _, err := search.OpenSelections(e).Similar(ctx, search.Property{ID: b.Hotels[0].Property, Country: "AF"}, trip(e, money.USD), 4)
			return err
		},
		"popularity": func(ctx context.Context, b *searchtest.Services, e env.Env) error {
			_, _, err := search.OpenPopularity(e).Get(ctx, b.Hotels[0].Property)
			return err
		},
		"previews": func(ctx context.Context, b *searchtest.Services, e env.Env) error {
			_, _, err := search.OpenPrices(e).Preview(ctx, []id.Property{b.Hotels[0].Property}, trip(e, money.USD))
			return err
		},
		"calendar": func(ctx context.Context, b *searchtest.Services, e env.Env) error {
			_, _, err := search.OpenPrices(e).Calendar(ctx, b.Hotels[0].Property, trip(e, money.USD).Dates.CheckIn, money.USD)
			return err
		},
		"cheapest": func(ctx context.Context, b *searchtest.Services, e env.Env) error {
			_, _, err := search.OpenPrices(e).Offers(ctx, b.Hotels[0].Tenant, b.Hotels[0].Property, trip(e, money.USD))
			return err
		},
		"brands": func(ctx context.Context, b *searchtest.Services, e env.Env) error {
			_, _, err := search.OpenBrands(e).Get(ctx, tenants(b))
			return err
		},
		"properties": func(ctx context.Context, b *searchtest.Services, e env.Env) error {
			_, _, err := search.OpenProperties(e).Get(ctx, b.Hotels[0].Property)
			return err
		},
		"policies": func(ctx context.Context, b *searchtest.Services, e env.Env) error {
			_, _, err := search.OpenProperties(e).Rules(ctx, search.Property{ID: b.Hotels[0].Property, Tenant: b.Hotels[0].Tenant})
			return err
		},
		"tenants": func(ctx context.Context, b *searchtest.Services, e env.Env) error {
			_, err := search.OpenTenants(e).Find(ctx, b.Hotels[0].Tenant)
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b, e, _ := openServices(t, 1)
			for answer, behavior := range map[string]upstreamtest.Behavior{
				"garbled": upstreamtest.Garbled,
				"garbage": upstreamtest.Garbage,
				"endless": upstreamtest.Endless,
				"failing": upstreamtest.Failing,
			} {
				t.Run(answer, func(t *testing.T) {
					b.SetBehavior(name, behavior)
					err := ask(t.Context(), b, e)
					check.Error(t, err, fault.ErrUpstreamUnavailable)
					check.Lacks(t, err.Error(), "html")
				})
			}
			if n := b.Calls(name); n < 4 {
				t.Errorf("asked %d times", n)
			}
		})
	}
}

func TestFind_effectiveStatus(t *testing.T) {
	t.Parallel()
	b, e, store := openServices(t, 2)
	directory, one, other := search.OpenTenants(e), b.Hotels[0], b.Hotels[1]
	found, err := directory.Find(t.Context(), one.Tenant)
	check.Must(t, err)
	check.MustEqual(t, found.Slug, "hotel-0")
	check.MustEqual(t, found.Suspended(), false)
	check.MustEqual(t, found.Currency, money.AFN)
	check.Got(directory.Find(t.Context(), id.New[id.Tenant]())).Error(t, fault.ErrNotFound, "a stranger")
	invalidator, now := search.OpenInvalidator(e), e.Now()
	check.Must(t, invalidator.ApplyStatus(t.Context(), one.Tenant, true, now))
	if err := invalidator.ApplyStatus(t.Context(), one.Tenant, false, now.Add(-time.Second)); err != nil { // older
		t.Fatal(err)
	}
	found, err = directory.Find(t.Context(), one.Tenant)
	check.Must(t, err)
	check.Equal(t, found.Suspended(), true)
	e.Advance(14 * time.Minute) // the search service may not have noticed
	got := directory.Suspended(t.Context(), []id.Tenant{one.Tenant, other.Tenant})
	check.MustEqual(t, len(got), 1)
	check.Equal(t, got[one.Tenant], true)
	e.Advance(time.Minute)
	check.Equal(t, len(directory.Suspended(t.Context(), []id.Tenant{one.Tenant})), 0, "after 15 minutes")
	check.Must(t, invalidator.ApplyStatus(t.Context(), one.Tenant, true, e.Now()))
	store.Refuse = func(string) error { return fault.ErrUnavailable }
	check.Equal(t, len(directory.Suspended(t.Context(), []id.Tenant{one.Tenant})), 0, "without a store")
	check.Error(t, invalidator.ApplyStatus(t.Context(), one.Tenant, false, e.Now()), fault.ErrUnavailable, "what cannot be noted")
	check.Error(t, invalidator.InvalidateListing(t.Context(), one.Property, ""), fault.ErrUnavailable, "what cannot be noted")
	check.Error(t, invalidator.InvalidateBrand(t.Context(), one.Tenant), fault.ErrUnavailable, "what cannot be noted")
}
