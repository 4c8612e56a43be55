package search_test

import (
	"context"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"melmastoon.ghasi.io/functions/consumer/internal/search"
	"melmastoon.ghasi.io/functions/consumer/internal/search/searchtest"
	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/testkit/check"
	"melmastoon.ghasi.io/shared/testkit/fntest"
	"melmastoon.ghasi.io/shared/testkit/upstreamtest"
)

// A composed answer: the parts that it names as missing, whether each optional part is null, and the number of its elements.
type composed struct {
	missing []string
	null    map[string]bool
	count   int
}

// The composed answers, each with the timeout of its function and the number of elements that it has in these tests.
var compositions = map[string]struct {
	budget  time.Duration
	count   int
	compose func(context.Context, *searchtest.Services, env.Env) (composed, error)
}{
	"list":    {budget: 2 * time.Second, count: 2, compose: composeList},
	"map":     {budget: 2 * time.Second, count: 2, compose: composeMap},
	"hotel":   {budget: 1500 * time.Millisecond, count: 1, compose: composeDetail},
	"vacancy": {budget: time.Second, count: 1, compose: composeVacancy},
	"cards":   {budget: time.Second, count: 1, compose: composeCards},
}

// themed is the colour of each hotel's brand. Another one replaces a brand that is missing.
const themed = "#1a2b3c"

func composeList(ctx context.Context, _ *searchtest.Services, e env.Env) (composed, error) {
	query := queryFor(e, search.GeoQuery{Mode: search.City, City: "Kabul"})
	r, err := search.OpenSearches(e).List(ctx, search.ListRequest{Query: query, Page: search.Page{Limit: 20}, Currency: money.USD})
	if err != nil {
		return composed{missing: r.Missing}, err
	}
	null := map[string]bool{"pricing": r.Cards[0].Rate == nil, "theme": r.Cards[0].Brand.Color != themed}
	return composed{missing: r.Missing, null: null, count: len(r.Cards)}, nil
}

func composeMap(ctx context.Context, _ *searchtest.Services, e env.Env) (composed, error) {
	box := &search.BoundingBox{SwLat: 34, SwLng: 69, NeLat: 35, NeLng: 70}
	m, err := search.OpenSearches(e).Map(ctx, queryFor(e, search.GeoQuery{Mode: search.Box, Box: box}), money.USD, nil)
	if err != nil {
		return composed{missing: m.Missing}, err
	}
	null := map[string]bool{"pricing": m.Pins[0].Nightly == nil, "theme": m.Pins[0].Color != themed}
	return composed{missing: m.Missing, null: null, count: len(m.Pins)}, nil
}

func composeDetail(ctx context.Context, b *searchtest.Services, e env.Env) (composed, error) {
	hotels, err := search.OpenHotels(e)
	if err != nil {
		return composed{}, err
	}
	d, c, err := hotels.Detail(ctx, "", b.Hotels[0].Property, trip(e, money.USD))
	null := map[string]bool{"theme": d.Brand.Color != themed, "pricing": d.Rate == nil, "calendar": d.Calendar == nil, "search": d.Similar == nil, "policies": d.Policies.Cancellation == "", "popularity": d.Popularity == nil}
	return composed{missing: c.Missing, null: null, count: len(d.Rooms)}, err
}

func composeCards(ctx context.Context, b *searchtest.Services, e env.Env) (composed, error) {
	deck := search.OpenSearches(e).Cards(ctx, "", trip(e, money.USD), []id.Property{b.Hotels[0].Property})
	got := composed{missing: deck.Missing, null: map[string]bool{"search": true}, count: 1}
	if card := deck.Card(b.Hotels[0].Property).Card; card != nil {
		got.null = map[string]bool{"search": false, "pricing": card.Rate == nil, "theme": card.Brand.Color != themed}
	}
	return got, nil
}

func composeVacancy(ctx context.Context, b *searchtest.Services, e env.Env) (composed, error) {
	hotels, err := search.OpenHotels(e)
	if err != nil {
		return composed{}, err
	}
	out, c, err := hotels.Vacancy(ctx, "", b.Hotels[0].Property, trip(e, money.USD))
	if err != nil {
		return composed{missing: c.Missing}, err
	}
	null := map[string]bool{"pricing": out.Available == nil, "rates": out.Rooms[0].Total == nil}
	return composed{missing: c.Missing, null: null, count: len(out.Rooms)}, nil
}

func queryFor(e env.Env, geo search.GeoQuery) search.Query {
	t := trip(e, money.USD)
	return search.Query{Geo: geo, Dates: t.Dates, Occupancy: t.Occupancy}
}

// reserve is the time that a composition leaves for storing the session and the event. If the machine stalls for longer, none is left.
const reserve = 200 * time.Millisecond

func TestAnswers_servicesHangOrFail(t *testing.T) {
	t.Parallel()
	const hanging, failing, garbled, garbage, endless = upstreamtest.Hanging, upstreamtest.Failing, upstreamtest.Garbled, upstreamtest.Garbage, upstreamtest.Endless
	type row struct {
		answer   string
		route    string
		behavior upstreamtest.Behavior
		want     error
		missing  []string
	}
	rows := []row{
		{"list", "previews", endless, nil, []string{"pricing"}},
		{"list", "brands previews", hanging, nil, []string{"theme", "pricing"}},
		{"map", "previews brands", hanging, nil, []string{"theme", "pricing"}},
		{"hotel", "previews calendar policies similar popularity brands tenants", hanging, nil, []string{"policies", "theme", "pricing", "calendar", "search", "popularity"}},
		{"cards", "listings", endless, nil, []string{"search"}},
		{"cards", "previews brands", hanging, nil, []string{"theme", "pricing"}},
		{"vacancy", "previews cheapest", hanging, nil, []string{"pricing", "rates"}},
		{"vacancy", "previews cheapest tenants", hanging, nil, []string{"pricing", "rates"}},
	}
	// Each service in each way: the part that is missing then, or "" if the answer is complete. Without the essential services there
	// is no answer.
	essential := map[string]string{"list": "searches", "map": "pins", "hotel": "properties", "vacancy": "properties"}
	optional := map[string]map[string]string{
		"list":    {"previews": "pricing", "brands": "theme"},
		"map":     {"previews": "pricing", "brands": "theme"},
		"hotel":   {"previews": "pricing", "brands": "theme", "calendar": "calendar", "policies": "policies", "similar": "search", "popularity": "popularity", "tenants": ""},
		"cards":   {"listings": "search", "previews": "pricing", "brands": "theme"},
		"vacancy": {"previews": "pricing", "cheapest": "rates", "in-own-currency": "rates", "tenants": ""},
	}
	for _, behavior := range []upstreamtest.Behavior{hanging, failing, garbled, garbage} {
		for answer, route := range essential {
			want := error(fault.ErrUpstreamUnavailable)
			if behavior == hanging {
				want = search.ErrBudgetExceeded
			}
			rows = append(rows, row{answer, route, behavior, want, nil})
		}
		for answer, routes := range optional {
			for route, part := range routes {
				var missing []string
				if part != "" {
					missing = []string{part}
				}
				rows = append(rows, row{answer, route, behavior, nil, missing})
			}
		}
	}
	for _, test := range rows {
		t.Run(test.answer+" "+test.route+" "+string(rune('0'+test.behavior)), func(t *testing.T) {
			t.Parallel()
			b, e, _ := openServices(t, 2)
			e = e.With("TIMEOUT_FACTOR", "2") // so much hangs here that four times as much would be long
			for route := range strings.FieldsSeq(test.route) {
				b.SetBehavior(route, test.behavior)
			}
			if test.route == "in-own-currency" { // the second call for rates
				b.Do(func() { b.Hotels[0].OwnMoney = true })
				b.Before(func(route string) {
					if route == "cheapest" {
						b.SetBehavior(route, test.behavior)
					}
				})
			}
			answer := compositions[test.answer]
			budget := e.Timeout(answer.budget)
			ctx, cancel := context.WithTimeout(t.Context(), budget)
			defer cancel()
			var got composed
			var err error
			took, stalled := fntest.Timed(func() { got, err = answer.compose(ctx, b, e) })
			check.Error(t, err, test.want)
			if n := b.Calls("cheapest"); test.route == "in-own-currency" && n < 2 {
				t.Errorf("calls for rates = %d, want a second one in the hotel's own currency", n)
			}
			check.Equal(t, got.missing, test.missing)
			if ctx.Err() != nil && stalled < reserve {
				t.Errorf("took %v of %v, and the machine %v more", took, budget, stalled)
			}
			if err != nil {
				return
			}
			check.Equal(t, got.count, answer.count)
			for part, null := range got.null {
				check.Equal(t, null, slices.Contains(got.missing, part), "%s", part)
			}
		})
	}
}

// All services hang and the search itself is slow: the answer must still be in time.
func TestList_slowSearchHangingPrices(t *testing.T) {
	t.Parallel()
	b, e, _ := openServices(t, 2)
	b.SetBehavior("previews", upstreamtest.Hanging)
	b.SetBehavior("brands", upstreamtest.Hanging)
	slow, budget := time.NewTimer(e.Timeout(1300*time.Millisecond)), e.Timeout(compositions["list"].budget)
	b.Before(func(route string) {
		if route == "searches" {
			<-slow.C
			slow.Reset(0)
		}
	})
	ctx, cancel := context.WithTimeout(t.Context(), budget)
	defer cancel()
	var got composed
	var err error
	took, stalled := fntest.Timed(func() { got, err = compositions["list"].compose(ctx, b, e) })
	check.Must(t, err)
	check.Equal(t, got.missing, []string{"theme", "pricing"})
	if ctx.Err() != nil && stalled < reserve {
		t.Errorf("took %v of %v, and the machine %v more", took, budget, stalled)
	}
}

func TestList_hedgedRequest(t *testing.T) {
	t.Parallel()
	b, e, _ := openServices(t, 2)
	end := make(chan struct{})
	t.Cleanup(func() { close(end) })
	var asked atomic.Int32
	b.Before(func(route string) {
		if route == "searches" && asked.Add(1) == 1 {
			<-end
		}
	})
	began := e.Now()
	got, err := compositions["list"].compose(t.Context(), b, e)
	took := e.Now().Sub(began)
	check.Must(t, err)
	check.Equal(t, got.missing, nil)
	check.Equal(t, asked.Load(), 2)
	if took < e.Timeout(800*time.Millisecond) {
		t.Errorf("took = %v, want at least %v", took, e.Timeout(800*time.Millisecond))
	}
}
