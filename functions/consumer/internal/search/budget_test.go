package search_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"melmastoon.ghasi.io/functions/consumer/internal/search"
	"melmastoon.ghasi.io/functions/consumer/internal/search/searchtest"
	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/testkit/fntest"
	"melmastoon.ghasi.io/shared/testkit/upstreamtest"
)

// The four composed answers, each with the timeout of its function.
var compositions = map[string]struct {
	budget  time.Duration
	compose func(context.Context, *searchtest.Services, env.Env) (missing []string, err error)
}{
	"list": {2 * time.Second, func(ctx context.Context, _ *searchtest.Services, e env.Env) ([]string, error) {
		r, err := search.OpenSearches(e).List(ctx, search.ListRequest{Query: wanted(e, search.GeoQuery{Mode: search.City, City: "Kabul"}), Page: search.Page{Limit: 20}, Currency: money.USD})
		if err == nil && (len(r.Cards) != 2 || (r.Cards[0].Rate == nil) != slices.Contains(r.Missing, "pricing") || (r.Cards[0].Brand == nil) != slices.Contains(r.Missing, "theme")) {
			err = errors.New("not the cards of what is missing")
		}
		return r.Missing, err
	}},
	"map": {2 * time.Second, func(ctx context.Context, _ *searchtest.Services, e env.Env) ([]string, error) {
		box := &search.BoundingBox{SwLat: 34, SwLng: 69, NeLat: 35, NeLng: 70}
		m, err := search.OpenSearches(e).Map(ctx, wanted(e, search.GeoQuery{Mode: search.Box, Box: box}), money.USD, nil)
		if err == nil && (len(m.Pins) != 2 || (m.Pins[0].Nightly == nil) != slices.Contains(m.Missing, "pricing") || (m.Pins[0].Color == nil) != slices.Contains(m.Missing, "theme")) {
			err = errors.New("not the pins of what is missing")
		}
		return m.Missing, err
	}},
	"hotel": {1500 * time.Millisecond, func(ctx context.Context, b *searchtest.Services, e env.Env) ([]string, error) {
		d, c, err := search.OpenHotels(e).Detail(ctx, "", b.Hotels[0].Property, trip(e, money.USD))
		if err == nil && (len(d.Rooms) != 1 || (d.Rate == nil) != slices.Contains(c.Missing, "pricing") || (d.Calendar == nil) != slices.Contains(c.Missing, "calendar") ||
			(d.Similar == nil) != slices.Contains(c.Missing, "search") || (d.Policies.Cancellation == "") != slices.Contains(c.Missing, "policies")) {
			err = errors.New("not the hotel of what is missing")
		}
		return c.Missing, err
	}},
	"vacancy": {time.Second, func(ctx context.Context, b *searchtest.Services, e env.Env) ([]string, error) {
		out, c, err := search.OpenHotels(e).Vacancy(ctx, "", b.Hotels[0].Property, trip(e, money.USD))
		if err == nil && (len(out.Rooms) != 1 || (out.Available == nil) != slices.Contains(c.Missing, "pricing") || (out.Rooms[0].Total == nil) != slices.Contains(c.Missing, "rates")) {
			err = errors.New("not the rooms of what is missing")
		}
		return c.Missing, err
	}},
}

func wanted(e env.Env, geo search.GeoQuery) search.Query {
	t := trip(e, money.USD)
	return search.Query{Geo: geo, Dates: t.Dates, Occupancy: t.Occupancy}
}

func TestAnswers_servicesHangOrFail(t *testing.T) {
	t.Parallel()
	const hanging, failing, garbled, garbage, endless = upstreamtest.Hanging, upstreamtest.Failing, upstreamtest.Garbled, upstreamtest.Garbage, upstreamtest.Endless
	for _, test := range []struct {
		answer  string
		stalls  string
		mood    upstreamtest.Mood
		want    error
		missing []string
	}{
		{"list", "previews", hanging, nil, []string{"pricing"}},
		{"list", "previews", failing, nil, []string{"pricing"}},
		{"list", "previews", garbled, nil, []string{"pricing"}},
		{"list", "previews", garbage, nil, []string{"pricing"}},
		{"list", "previews", endless, nil, []string{"pricing"}},
		{"list", "brands", hanging, nil, []string{"theme"}},
		{"list", "brands", garbage, nil, []string{"theme"}},
		{"list", "brands previews", hanging, nil, []string{"theme", "pricing"}},
		{"list", "searches", hanging, search.ErrBudgetExceeded, nil},
		{"list", "searches", failing, fault.ErrUpstreamUnavailable, nil},
		{"list", "searches", garbled, fault.ErrUpstreamUnavailable, nil},
		{"list", "searches", garbage, fault.ErrUpstreamUnavailable, nil},
		{"map", "previews brands", hanging, nil, []string{"theme", "pricing"}},
		{"map", "pins", hanging, search.ErrBudgetExceeded, nil},
		{"map", "pins", garbled, fault.ErrUpstreamUnavailable, nil},
		{"hotel", "tenants", hanging, nil, nil},
		{"hotel", "brands", garbage, nil, []string{"theme"}},
		{"hotel", "previews calendar policies searches brands tenants", hanging, nil, []string{"policies", "theme", "pricing", "calendar", "search"}},
		{"hotel", "properties", hanging, search.ErrBudgetExceeded, nil},
		{"hotel", "properties", garbage, fault.ErrUpstreamUnavailable, nil},
		{"vacancy", "tenants", hanging, nil, nil},
		{"vacancy", "previews cheapest", hanging, nil, []string{"pricing", "rates"}},
		{"vacancy", "previews cheapest tenants", hanging, nil, []string{"pricing", "rates"}},
		{"vacancy", "cheapest", garbled, nil, []string{"rates"}},
		{"vacancy", "properties", hanging, search.ErrBudgetExceeded, nil},
		{"vacancy", "properties", failing, fault.ErrUpstreamUnavailable, nil},
	} {
		t.Run(test.answer+" "+test.stalls+" "+string(rune('0'+test.mood)), func(t *testing.T) {
			t.Parallel()
			b, e, _ := bazaar(t, 2)
			e = e.With("TIMEOUT_FACTOR", "2") // so much hangs here that four times as much would be long
			for stall := range strings.FieldsSeq(test.stalls) {
				b.Mood(stall, test.mood)
			}
			answer := compositions[test.answer]
			budget := e.Timeout(answer.budget)
			ctx, cancel := context.WithTimeout(t.Context(), budget)
			defer cancel()
			var missing []string
			var err error
			took, stalled := fntest.Timed(func() { missing, err = answer.compose(ctx, b, e) })
			if !errors.Is(err, test.want) || (test.want == nil && err != nil) || !slices.Equal(missing, test.missing) {
				t.Errorf("missing %v, %v; want %v, %v", missing, err, test.missing, test.want)
			}
			if took >= budget { // what follows, remembering and telling, had no time left
				t.Errorf("took %v of %v, and the machine %v more", took, budget, stalled)
			}
		})
	}
}

// All services hang and the search itself is slow: the answer must still be in time.
func TestList_slowSearchHangingPrices(t *testing.T) {
	t.Parallel()
	b, e, _ := bazaar(t, 2)
	b.Mood("previews", upstreamtest.Hanging)
	b.Mood("brands", upstreamtest.Hanging)
	slow, budget := time.NewTimer(e.Timeout(1200*time.Millisecond)), e.Timeout(compositions["list"].budget)
	b.Before(func(stall string) {
		if stall == "searches" {
			<-slow.C
			slow.Reset(0)
		}
	})
	ctx, cancel := context.WithTimeout(t.Context(), budget)
	defer cancel()
	var missing []string
	var err error
	took, stalled := fntest.Timed(func() { missing, err = compositions["list"].compose(ctx, b, e) })
	if err != nil || !slices.Equal(missing, []string{"theme", "pricing"}) || took >= budget {
		t.Errorf("missing %v, %v after %v, and the machine's %v", missing, err, took, stalled)
	}
}

func TestList_hedgedRequest(t *testing.T) {
	t.Parallel()
	b, e, _ := bazaar(t, 2)
	end := make(chan struct{})
	t.Cleanup(func() { close(end) })
	var asked atomic.Int32
	b.Before(func(stall string) {
		if stall == "searches" && asked.Add(1) == 1 {
			<-end
		}
	})
	began := e.Now()
	missing, err := compositions["list"].compose(t.Context(), b, e)
	if took := e.Now().Sub(began); err != nil || missing != nil || asked.Load() != 2 || took < e.Timeout(800*time.Millisecond) {
		t.Errorf("got %d requests in %v: missing %v, %v", asked.Load(), took, missing, err)
	}
}
