package search

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"melmastoon.ghasi.io/functions/consumer/consumertest"
	"melmastoon.ghasi.io/functions/consumer/internal/search"
	"melmastoon.ghasi.io/functions/consumer/internal/search/searchtest"
	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/locale"
	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/testkit/check"
	"melmastoon.ghasi.io/shared/testkit/fntest"
	"melmastoon.ghasi.io/shared/testkit/upstreamtest"
)

type found struct {
	Search   id.SearchSession     `json:"searchSessionId"`
	Results  []search.ListingCard `json:"results"`
	Page     search.CountedPage   `json:"page"`
	Locale   locale.Tag           `json:"locale"`
	Currency money.Currency       `json:"currency"`
	Stale    bool                 `json:"stale"`
	Degraded []string             `json:"degraded"`
}

func post(t *testing.T, v *consumertest.Traveller, body any) (got found, a fntest.Answer) {
	t.Helper()
	a = v.Must(200, "POST", "/search", body)
	a.Into(t, &got)
	return got, a
}

func TestSearch_complete(t *testing.T) {
	t.Parallel()
	system := consumertest.OpenSystem(t, 3, Function)
	v := system.Traveller("Accept-Language", "ps", "X-Currency", "USD")
	got, first := post(t, v, system.SearchBody(`,"page":{"limit":2,"offset":1}`))
	check.MustEqual(t, len(got.Results), 2)
	check.MustEqual(t, got.Page, search.CountedPage{Page: search.Page{Limit: 2, Offset: 1}, Total: 3})
	check.MustEqual(t, got.Stale, false)
	check.MustEqual(t, got.Degraded, nil)
	check.MustEqual(t, got.Locale, locale.Pashto)
	check.MustEqual(t, got.Currency, money.USD)
	hotel, card := system.Hotels[1], got.Results[0]
	check.Equal(t, card.Property, hotel.Property)
	check.Equal(t, card.Tenant, hotel.Tenant)
	check.Equal(t, card.Slug, "hotel-1")
	check.Equal(t, card.Name.Display, "هوټل 1")
	check.Equal(t, card.Name.Default, "Hotel 1")
	check.Equal(t, card.Thumbnail.Alt, "کور")
	check.Equal(t, len(card.Amenities), 5)
	check.Equal(t, card.DistanceKm, nil)
	check.Equal(t, card.Rating.Count, 10)
	check.Equal(t, card.Brand.Color, "#1a2b3c")
	check.Equal(t, card.Brand.Name.Display, "هوټل 1")
	rate := card.Rate
	check.MustNotEqual(t, rate, nil)
	check.Equal(t, rate.Nightly, 5000)
	check.Equal(t, rate.Total, 10_000)
	check.Equal(t, rate.Currency, money.USD)
	check.Equal(t, rate.Exponent, 2)
	check.Equal(t, rate.Stale, false)
	check.Equal(t, rate.Policy, search.VisitorCurrency)
	check.Equal(t, rate.FX, searchtest.FX)
	check.Equal(t, rate.ExpiresAt.Sub(rate.CapturedAt), time.Minute)
	h := first.Header
	check.Equal(t, h.Get("X-Cache"), "MISS")
	check.Equal(t, h.Get("Content-Language"), "ps-AF")
	check.Contains(t, h.Get("Cache-Control"), "no-store")
	check.Contains(t, system.Body("searches"), `"currency":"USD"`)
	v.Must(200, "POST", "/search", system.SearchBody(), "X-Currency", "AFN").WantText(t, `"currencyDisplayPolicy":"tenant","capturedAt"`)
	check.Contains(t, system.Body("searches"), `"currency":"AFN"`)
	check.Equal(t, system.AllCalls(), map[string]int{"searches": 2, "previews": 2, "brands": 2}, "calls of other services")
}

func TestSearch_concurrently(t *testing.T) {
	t.Parallel()
	system := consumertest.OpenSystem(t, 50, Function)
	body := system.SearchBody(`,"page":{"limit":50,"offset":0}`)
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() { post(t, system.Traveller(), body) })
	}
	all.Wait()
	want := map[string]int{"searches": 1, "previews": 1, "brands": 1} // 50 hotels in one question each
	check.Equal(t, system.AllCalls(), want, "calls of other services")
	_, again := post(t, system.Traveller(), body)
	check.Equal(t, again.Header.Get("X-Cache"), "HIT")
	asked := system.Calls("brands")
	post(t, system.Traveller(), system.SearchBody(`,"sortKey":"price-asc"`)) // another page of hotels whose brands are known
	check.Equal(t, system.Calls("brands"), asked, "known brands were requested again")
	before := system.Calls("searches")
	post(t, system.Traveller(), system.SearchBody(`,"page":{"limit":20,"offset":20}`))
	check.Equal(t, system.Calls("searches"), before, "a further page was searched for")
	for _, other := range []string{`,"filters":{"amenities":["wifi"]}`, `,"sortKey":"rating-desc"`} {
		t.Run(other, func(t *testing.T) {
			before := system.Calls("searches")
			post(t, system.Traveller(), system.SearchBody(other))
			check.Equal(t, system.Calls("searches"), before+1, "was answered with another page")
		})
	}
}

func TestSearch_degraded(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, route string
		behavior    upstreamtest.Behavior
		status      int
		code        string
	}{
		{"prices hang", "previews", upstreamtest.Hanging, 200, ""},
		{"search hangs", "searches", upstreamtest.Hanging, 504, "BFF.CONSUMER.UPSTREAM_BUDGET_EXCEEDED"},
		{"search fails", "searches", upstreamtest.Failing, 503, "BFF.UPSTREAM_UNAVAILABLE"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			system := consumertest.OpenSystem(t, 2, Function)
			v := system.Traveller()
			post(t, v, system.SearchBodyIn(`{"mode":"city","city":"Herat"}`)) // so that the session is there
			system.SetBehavior(test.route, test.behavior)
			a := v.Must(test.status, "POST", "/search", system.SearchBody())
			p := a.Problem()
			check.Equal(t, a.Code(), test.code)
			if test.code != "" && (!p.Retriable || a.Header.Get("Retry-After") == "") {
				t.Errorf("got %s", a.Body)
			}
			if test.code != "" {
				return
			}
			got := fntest.Read[found](t, a)
			check.Equal(t, got.Degraded, []string{"pricing"})
			check.Equal(t, len(got.Results), 2)
			a.WantText(t, `"rateSnapshot":null`)
		})
	}
}

// Without the theme service nothing old is shown on a cold page, so nothing is stale.
func TestSearch_brandsMissing(t *testing.T) {
	t.Parallel()
	system := consumertest.OpenSystem(t, 2, Function)
	system.SetBehavior("brands", upstreamtest.Failing)
	got, a := post(t, system.Traveller(), system.SearchBody())
	check.Equal(t, got.Stale, false)
	check.Equal(t, a.Header.Get("X-Cache"), "MISS")
	check.Equal(t, got.Degraded, []string{"theme"})
}

func TestSearch_stale(t *testing.T) {
	t.Parallel()
	for route, behavior := range map[string]upstreamtest.Behavior{"searches": upstreamtest.Failing, "previews": upstreamtest.Failing} {
		t.Run(route, func(t *testing.T) {
			t.Parallel()
			system := consumertest.OpenSystem(t, 2, Function)
			v := system.Traveller()
			post(t, v, system.SearchBody())
			system.SetBehavior(route, behavior)
			system.DB.Advance(2 * time.Minute)
			got, a := post(t, v, system.SearchBody())
			check.MustEqual(t, got.Stale, true)
			check.MustEqual(t, got.Degraded, nil)
			check.MustEqual(t, a.Header.Get("X-Cache"), "STALE")
			check.MustEqual(t, len(got.Results), 2)
			check.MustNotEqual(t, got.Results[0].Rate, nil)
			check.Equal(t, got.Results[0].Rate.Stale, route == "previews", "the price is stale")
			system.DB.Advance(10 * time.Minute)
			if late := v.Send("POST", "/search", system.SearchBody()); route == "searches" && late.Status != 503 {
				t.Errorf("ten minutes later: %d %s", late.Status, late.Body)
			}
		})
	}
}

func TestSearch_sameSessionForAnHour(t *testing.T) {
	t.Parallel()
	system := consumertest.OpenSystem(t, 3, Function)
	v := system.Traveller()
	first, _ := post(t, v, system.SearchBody())
	body := system.SearchBody() // for later: the clock will have moved, the days have not
	for name, more := range map[string]string{"again": "", "the next page": `,"page":{"offset":20}`, "in another order": `,"sortKey":"price-asc"`} {
		t.Run(name, func(t *testing.T) {
			if next, _ := post(t, v, system.SearchBody(more)); next.Search != first.Search {
				t.Error("another session")
			}
		})
	}
	if other, _ := post(t, v, system.SearchBodyIn(`{"mode":"city","city":"Herat"}`)); other.Search == first.Search {
		t.Error("elsewhere: the same session")
	}
	if stranger, _ := post(t, system.Traveller(), system.SearchBody()); stranger.Search == first.Search {
		t.Error("another visitor has the same search session")
	}
	kept := v.StoredSession().SearchHistory
	check.MustEqual(t, len(kept), 2)
	check.Equal(t, kept[1].Search, first.Search)
	check.Equal(t, kept[1].Geo, search.GeoQuery{Mode: search.City, City: "Kabul"})
	check.Equal(t, kept[0].Geo.City, "")
	system.DB.Advance(time.Hour)
	if later, _ := post(t, v, body); later.Search == first.Search {
		t.Error("an hour later: the same session")
	}
	check.Equal(t, len(v.StoredSession().SearchHistory), 3, "searches in the session")
}

func TestSearch_invalid(t *testing.T) {
	t.Parallel()
	system := consumertest.OpenSystem(t, 1, Function)
	v := system.Traveller()
	checkIn, checkOut := system.Dates(7, 2)
	late, _ := system.Dates(402, 1)
	for _, change := range [][3]string{
		{`"city":"Kabul"`, `"city":"Kabul","region":"Kabul"`, "/geo/region"},
		{`"city":"Kabul"`, `"point":{"lat":1,"lng":1,"radiusKm":1}`, "/geo/city"},
		{`"mode":"city"`, `"mode":"planet"`, "/geo/mode"},
		{checkIn, "2026-02-30", "/dates/checkIn"}, {checkIn, "2020-01-01", "/dates/checkIn"}, {checkOut, checkIn, "/dates/checkOut"},
		{checkOut, late, "/dates/checkOut"}, {`"adults":2`, `"adults":0`, "/occupancy/adults"}, {`"adults":2,`, ``, "/occupancy/adults"},
		{`"rooms":1}`, `"rooms":1},"page":{"limit":51}`, "/page/limit"}, {`"rooms":1}`, `"rooms":1},"page":{"limit":0}`, "/page/limit"},
		{`"rooms":1}`, `"rooms":1},"page":{"offset":-1}`, "/page/offset"}, {`"rooms":1}`, `"rooms":1},"sortKey":"cheapest"`, "/sortKey"},
		{`"rooms":1}`, `"rooms":1},"filters":{"priceRange":{"min":1,"max":2,"currency":"XXX"}}`, "/filters/priceRange/currency"},
		{`"rooms":1}`, `"rooms":1},"filters":{"priceRange":{"min":1,"max":2}}`, "/filters/priceRange/currency"},
	} {
		t.Run(fmt.Sprint(change), func(t *testing.T) {
			a := v.Send("POST", "/search", strings.Replace(system.SearchBody(), change[0], change[1], 1))
			named := slices.ContainsFunc(a.Problem().Violations, func(v fault.Violation) bool { return v.Pointer == change[2] })
			a.Want(t, 400)
			check.Equal(t, named, true, "%s: named = false", change[1])
		})
	}
	check.Equal(t, system.Calls("searches"), 0, "calls of the search service")
}

func TestSearch_documentStoreDown(t *testing.T) {
	t.Parallel()
	system := consumertest.OpenSystem(t, 2, Function)
	v := system.Traveller()
	post(t, v, system.SearchBody())
	owner := system.DB.Owner(t)
	check.Got(owner.Exec(t.Context(), `ALTER TABLE document.documents RENAME TO gone`)).Must(t)
	for body, state := range map[string]string{system.SearchBody(): "HIT", system.SearchBody(`,"sortKey":"price-asc"`): "BYPASS"} {
		t.Run(body, func(t *testing.T) { // known to this process, and not
			got, a := post(t, v, body)
			check.MustEqual(t, len(got.Results), 2)
			check.NotEqual(t, got.Results[0].Rate, nil)
			check.Equal(t, got.Results[0].Brand.Color, "#1a2b3c")
			check.Equal(t, a.Header.Get("X-Cache"), state)
			check.Equal(t, got.Search.IsZero(), false)
		})
	}
}

// Also in a process that has nothing in memory, one warm answer reads few documents, however many hotels it shows.
func TestReads_warmPage(t *testing.T) {
	t.Parallel()
	system, reads := consumertest.OpenCountingReads(t, 50, Function)
	v, body := system.Traveller(), system.SearchBody(`,"page":{"limit":50,"offset":0}`)
	post(t, v, body)
	for _, process := range []string{"same", "new"} {
		t.Run(process, func(t *testing.T) {
			if process == "new" {
				system.Memory.Empty()
			}
			reads.Since()
			got, a := post(t, v, body)
			read := reads.Since()
			if len(read) > 20 {
				t.Errorf("%s process: len(read) = %d, want at most 20", process, len(read))
			}
			check.Equal(t, len(got.Results), 50, "process")
			check.Equal(t, a.Header.Get("X-Cache"), "HIT", "process")
		})
	}
}
