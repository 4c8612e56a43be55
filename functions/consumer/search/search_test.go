package search

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"melmastoon.ghasi.io/functions/consumer/consumertest"
	"melmastoon.ghasi.io/functions/consumer/internal/search"
	"melmastoon.ghasi.io/functions/consumer/internal/search/searchtest"
	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/locale"
	"melmastoon.ghasi.io/shared/money"
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
	if len(got.Results) != 2 {
		t.Fatalf("len(got.Results) = %d, want 2", len(got.Results))
	}
	if got.Page != (search.CountedPage{Page: search.Page{Limit: 2, Offset: 1}, Total: 3}) {
		t.Fatalf("got.Page = %+v, want %+v", got.Page, (search.CountedPage{Page: search.Page{Limit: 2, Offset: 1}, Total: 3}))
	}
	if got.Stale {
		t.Fatal("got.Stale = true, want false")
	}
	if got.Degraded != nil {
		t.Fatalf("got.Degraded = %q, want nil", got.Degraded)
	}
	if got.Locale != locale.Pashto {
		t.Fatalf("got.Locale = %q, want %q", got.Locale, locale.Pashto)
	}
	if got.Currency != money.USD {
		t.Fatalf("got.Currency = %q, want %q", got.Currency, money.USD)
	}
	hotel, card := system.Hotels[1], got.Results[0]
	if card.Property != hotel.Property {
		t.Errorf("card.Property = %v, want %v", card.Property, hotel.Property)
	}
	if card.Tenant != hotel.Tenant {
		t.Errorf("card.Tenant = %v, want %v", card.Tenant, hotel.Tenant)
	}
	if card.Slug != "hotel-1" {
		t.Errorf(`card.Slug = %q, want "hotel-1"`, card.Slug)
	}
	if card.Name.Display != "هوټل 1" {
		t.Errorf(`card.Name.Display = %q, want "هوټل 1"`, card.Name.Display)
	}
	if card.Name.Default != "Hotel 1" {
		t.Errorf(`card.Name.Default = %q, want "Hotel 1"`, card.Name.Default)
	}
	if card.Thumbnail.Alt != "کور" {
		t.Errorf(`card.Thumbnail.Alt = %q, want "کور"`, card.Thumbnail.Alt)
	}
	if len(card.Amenities) != 5 {
		t.Errorf("len(card.Amenities) = %d, want 5", len(card.Amenities))
	}
	if card.DistanceKm != nil {
		t.Errorf("card.DistanceKm = %v, want nil", card.DistanceKm)
	}
	if card.Rating.Count != 10 {
		t.Errorf("card.Rating.Count = %d, want 10", card.Rating.Count)
	}
	if card.Brand.Color != "#1a2b3c" {
		t.Errorf(`card.Brand.Color = %q, want "#1a2b3c"`, card.Brand.Color)
	}
	if card.Brand.Name.Display != "هوټل 1" {
		t.Errorf(`card.Brand.Name.Display = %q, want "هوټل 1"`, card.Brand.Name.Display)
	}
	rate := card.Rate
	if rate == nil {
		t.Fatal("rate = nil, want a value")
	}
	if rate.Nightly != 5000 {
		t.Errorf("rate.Nightly = %d, want 5000", rate.Nightly)
	}
	if rate.Total != 10_000 {
		t.Errorf("rate.Total = %d, want 10_000", rate.Total)
	}
	if rate.Currency != money.USD {
		t.Errorf("rate.Currency = %q, want %q", rate.Currency, money.USD)
	}
	if rate.Exponent != 2 {
		t.Errorf("rate.Exponent = %d, want 2", rate.Exponent)
	}
	if rate.Stale {
		t.Error("rate.Stale = true, want false")
	}
	if rate.Policy != search.VisitorCurrency {
		t.Errorf("rate.Policy = %q, want %q", rate.Policy, search.VisitorCurrency)
	}
	if rate.FX != searchtest.FX {
		t.Errorf("rate.FX = %v, want %v", rate.FX, searchtest.FX)
	}
	if rate.ExpiresAt.Sub(rate.CapturedAt) != time.Minute {
		t.Errorf("rate.ExpiresAt.Sub(rate.CapturedAt) = %v, want %v", rate.ExpiresAt.Sub(rate.CapturedAt), time.Minute)
	}
	h := first.Header
	if h.Get("X-Cache") != "MISS" {
		t.Errorf(`h.Get("X-Cache") = %q, want "MISS"`, h.Get("X-Cache"))
	}
	if h.Get("Content-Language") != "ps-AF" {
		t.Errorf(`h.Get("Content-Language") = %q, want "ps-AF"`, h.Get("Content-Language"))
	}
	if !strings.Contains(h.Get("Cache-Control"), "no-store") {
		t.Errorf(`h.Get("Cache-Control") = %q, want it to contain %q`, h.Get("Cache-Control"), "no-store")
	}
	if asked := system.Body("searches"); !strings.Contains(asked, `"currency":"USD"`) {
		t.Errorf("searched without the visitor's currency: %s", asked)
	}
	if own := v.Must(200, "POST", "/search", system.SearchBody(), "X-Currency", "AFN"); !strings.Contains(string(own.Body), `"currencyDisplayPolicy":"tenant","capturedAt"`) {
		t.Errorf("in its own currency: %s", own.Body)
	}
	if asked := system.Body("searches"); !strings.Contains(asked, `"currency":"AFN"`) {
		t.Errorf("another currency of one call is not searched with: %s", asked)
	}
	if diff := cmp.Diff(map[string]int{"searches": 2, "previews": 2, "brands": 2}, system.AllCalls()); diff != "" {
		t.Errorf("calls of other services (-want +got):\n%s", diff)
	}
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
	if diff := cmp.Diff(want, system.AllCalls()); diff != "" {
		t.Errorf("calls of other services (-want +got):\n%s", diff)
	}
	_, again := post(t, system.Traveller(), body)
	if again.Header.Get("X-Cache") != "HIT" {
		t.Errorf("again: %s", again.Header.Get("X-Cache"))
	}
	asked := system.Calls("brands")
	post(t, system.Traveller(), system.SearchBody(`,"sortKey":"price-asc"`)) // another page of hotels whose brands are known
	if n := system.Calls("brands"); n != asked {
		t.Errorf("known brands were requested again")
	}
	before := system.Calls("searches")
	if post(t, system.Traveller(), system.SearchBody(`,"page":{"limit":20,"offset":20}`)); system.Calls("searches") != before {
		t.Error("a further page was searched for")
	}
	for _, other := range []string{`,"filters":{"amenities":["wifi"]}`, `,"sortKey":"rating-desc"`} {
		t.Run(other, func(t *testing.T) {
			before := system.Calls("searches")
			if post(t, system.Traveller(), system.SearchBody(other)); system.Calls("searches") != before+1 {
				t.Errorf("%s was answered with another page", other)
			}
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
			if a.Code() != test.code {
				t.Errorf("code = %q, want %q", a.Code(), test.code)
			}
			if test.code != "" && (!p.Retriable || a.Header.Get("Retry-After") == "") {
				t.Errorf("got %s", a.Body)
			}
			if test.code != "" {
				return
			}
			var got found
			a.Into(t, &got)
			if !slices.Equal(got.Degraded, []string{"pricing"}) {
				t.Errorf("got.Degraded = %q, want %q", got.Degraded, []string{"pricing"})
			}
			if len(got.Results) != 2 {
				t.Errorf("len(got.Results) = %d, want 2", len(got.Results))
			}
			if !strings.Contains(string(a.Body), `"rateSnapshot":null`) {
				t.Errorf("string(a.Body) = %q, want it to contain %q", string(a.Body), `"rateSnapshot":null`)
			}
		})
	}
}

// Without the theme service nothing old is shown on a cold page, so nothing is stale.
func TestSearch_brandsMissing(t *testing.T) {
	t.Parallel()
	system := consumertest.OpenSystem(t, 2, Function)
	system.SetBehavior("brands", upstreamtest.Failing)
	got, a := post(t, system.Traveller(), system.SearchBody())
	if got.Stale || a.Header.Get("X-Cache") != "MISS" {
		t.Errorf("stale = %t, X-Cache = %q, want a MISS that is not stale", got.Stale, a.Header.Get("X-Cache"))
	}
	if !slices.Equal(got.Degraded, []string{"theme"}) {
		t.Errorf("got.Degraded = %q, want theme", got.Degraded)
	}
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
			if !got.Stale {
				t.Fatal("got.Stale = false, want true")
			}
			if got.Degraded != nil {
				t.Fatalf("got.Degraded = %q, want nil", got.Degraded)
			}
			if a.Header.Get("X-Cache") != "STALE" {
				t.Fatalf(`a.Header.Get("X-Cache") = %q, want "STALE"`, a.Header.Get("X-Cache"))
			}
			if len(got.Results) != 2 {
				t.Fatalf("len(got.Results) = %d, want 2", len(got.Results))
			}
			if got.Results[0].Rate == nil {
				t.Fatal("got.Results[0].Rate = nil, want a value")
			}
			if stale := got.Results[0].Rate.Stale; stale != (route == "previews") {
				t.Errorf("the price is stale: %v", stale)
			}
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
	if len(kept) != 2 {
		t.Fatalf("len(kept) = %d, want 2", len(kept))
	}
	if kept[1].Search != first.Search {
		t.Errorf("kept[1].Search = %v, want %v", kept[1].Search, first.Search)
	}
	if kept[1].Geo != (search.GeoQuery{Mode: search.City, City: "Kabul"}) {
		t.Errorf("kept[1].Geo = %+v, want %+v", kept[1].Geo, (search.GeoQuery{Mode: search.City, City: "Kabul"}))
	}
	if kept[0].Geo.City != "" {
		t.Errorf(`kept[0].Geo.City = %q, want ""`, kept[0].Geo.City)
	}
	system.DB.Advance(time.Hour)
	if later, _ := post(t, v, body); later.Search == first.Search {
		t.Error("an hour later: the same session")
	}
	if n := len(v.StoredSession().SearchHistory); n != 3 {
		t.Errorf("%d searches are remembered", n)
	}
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
			if a.Status != 400 {
				t.Errorf("%s: status = %d, want 400: %s", change[1], a.Status, a.Body)
			}
			if !named {
				t.Errorf("%s: named = false, want true", change[1])
			}
		})
	}
	if n := system.Calls("searches"); n != 0 {
		t.Errorf("the search service was asked %d times", n)
	}
}

func TestSearch_documentStoreDown(t *testing.T) {
	t.Parallel()
	system := consumertest.OpenSystem(t, 2, Function)
	v := system.Traveller()
	post(t, v, system.SearchBody())
	owner := system.DB.Owner(t)
	if _, err := owner.Exec(t.Context(), `ALTER TABLE document.documents RENAME TO gone`); err != nil {
		t.Fatal(err)
	}
	for body, state := range map[string]string{system.SearchBody(): "HIT", system.SearchBody(`,"sortKey":"price-asc"`): "BYPASS"} {
		t.Run(body, func(t *testing.T) { // known to this process, and not
			got, a := post(t, v, body)
			if len(got.Results) != 2 {
				t.Fatalf("len(got.Results) = %d, want 2", len(got.Results))
			}
			if got.Results[0].Rate == nil {
				t.Error("got.Results[0].Rate = nil, want a value")
			}
			if got.Results[0].Brand.Color != "#1a2b3c" {
				t.Errorf(`got.Results[0].Brand.Color = %q, want "#1a2b3c"`, got.Results[0].Brand.Color)
			}
			if a.Header.Get("X-Cache") != state {
				t.Errorf(`a.Header.Get("X-Cache") = %q, want %q`, a.Header.Get("X-Cache"), state)
			}
			if got.Search.IsZero() {
				t.Error("got.Search is zero")
			}
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
			if len(got.Results) != 50 {
				t.Errorf("%s process: len(got.Results) = %d, want 50", process, len(got.Results))
			}
			if a.Header.Get("X-Cache") != "HIT" {
				t.Errorf(`%s process: a.Header.Get("X-Cache") = %q, want "HIT"`, process, a.Header.Get("X-Cache"))
			}
		})
	}
}
