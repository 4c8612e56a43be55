package search

import (
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
	"melmastoon.ghasi.io/shared/platform/cache"
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

func look(t *testing.T, v *consumertest.Traveller, body any) (got found, a fntest.Answer) {
	t.Helper()
	a = v.Must(200, "POST", "/search", body)
	a.Into(t, &got)
	return got, a
}

func TestHotelsAreFoundWithTheirPricesAndColours(t *testing.T) {
	t.Parallel()
	market := consumertest.OpenSystem(t, 3, Function)
	v := market.Traveller("Accept-Language", "ps", "X-Currency", "USD")
	got, first := look(t, v, market.SearchBody(`,"page":{"limit":2,"offset":1}`))
	if len(got.Results) != 2 || got.Page != (search.CountedPage{Page: search.Page{Limit: 2, Offset: 1}, Total: 3}) || got.Stale ||
		got.Degraded != nil || got.Locale != locale.Pashto || got.Currency != money.USD {
		t.Fatalf("got %s", first.Body)
	}
	hotel, card := market.Hotels[1], got.Results[0]
	if card.Property != hotel.Property || card.Tenant != hotel.Tenant || card.Slug != "hotel-1" || card.Name.Display != "هوټل 1" || card.Name.Default != "Hotel 1" ||
		card.Thumbnail.Alt != "کور" || len(card.Amenities) != 5 || card.DistanceKm != nil || card.Rating.Count != 10 {
		t.Errorf("got %+v", card)
	}
	if card.Brand == nil || card.Brand.Color != "#1a2b3c" || card.Brand.Name.Display != "هوټل 1" {
		t.Errorf("got %+v", card.Brand)
	}
	rate := card.Rate
	if rate == nil || rate.Nightly != 5000 || rate.Total != 10_000 || rate.Currency != money.USD || rate.Exponent != 2 || rate.Stale ||
		rate.Policy != search.VisitorCurrency || rate.FX != searchtest.FX || rate.ExpiresAt.Sub(rate.CapturedAt) != time.Minute {
		t.Errorf("got %+v", rate)
	}
	if h := first.Header; h.Get("X-Cache") != "MISS" || h.Get("Content-Language") != "ps-AF" || !strings.Contains(h.Get("Cache-Control"), "no-store") {
		t.Errorf("got %v", h)
	}
	if asked := market.Body("searches"); !strings.Contains(asked, `"currency":"USD"`) {
		t.Errorf("searched without the visitor's currency: %s", asked)
	}
	if own := v.Must(200, "POST", "/search", market.SearchBody(), "X-Currency", "AFN"); !strings.Contains(string(own.Body), `"currencyDisplayPolicy":"tenant","capturedAt"`) {
		t.Errorf("in its own currency: %s", own.Body)
	}
	if asked := market.Body("searches"); !strings.Contains(asked, `"currency":"AFN"`) {
		t.Errorf("another currency of one call is not searched with: %s", asked)
	}
}

func TestAPageIsFoundOnceHoweverManyLook(t *testing.T) {
	t.Parallel()
	market := consumertest.OpenSystem(t, 50, Function)
	body := market.SearchBody(`,"page":{"limit":50,"offset":0}`)
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() { look(t, market.Traveller(), body) })
	}
	all.Wait()
	for stall, want := range map[string]int{"searches": 1, "previews": 1, "brands": 1} { // 50 hotels in one question each
		if n := market.Asked(stall); n != want {
			t.Errorf("%s were asked for %d times", stall, n)
		}
	}
	_, again := look(t, market.Traveller(), body)
	if again.Header.Get("X-Cache") != "HIT" {
		t.Errorf("again: %s", again.Header.Get("X-Cache"))
	}
	asked := market.Asked("brands")
	look(t, market.Traveller(), market.SearchBody(`,"sortKey":"price-asc"`)) // another page of hotels whose looks are known
	if n := market.Asked("brands"); n != asked {
		t.Errorf("looks that were known were asked for")
	}
	before := market.Asked("searches")
	if look(t, market.Traveller(), market.SearchBody(`,"page":{"limit":20,"offset":20}`)); market.Asked("searches") != before {
		t.Error("a further page was searched for")
	}
	for _, other := range []string{`,"filters":{"amenities":["wifi"]}`, `,"sortKey":"rating-desc"`} {
		before := market.Asked("searches")
		if look(t, market.Traveller(), market.SearchBody(other)); market.Asked("searches") != before+1 {
			t.Errorf("%s was answered with another page", other)
		}
	}
}

func TestWhatIsMissingIsSaid(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, stall string
		mood        upstreamtest.Mood
		status      int
		code        string
	}{
		{"prices hang", "previews", upstreamtest.Hanging, 200, ""},
		{"the search hangs", "searches", upstreamtest.Hanging, 504, "BFF.CONSUMER.UPSTREAM_BUDGET_EXCEEDED"},
		{"the search fails", "searches", upstreamtest.Failing, 503, "BFF.UPSTREAM_UNAVAILABLE"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			market := consumertest.OpenSystem(t, 2, Function)
			v := market.Traveller()
			look(t, v, market.SearchBodyIn(`{"mode":"city","city":"Herat"}`)) // so that the session is there
			market.Mood(test.stall, test.mood)
			a := v.Must(test.status, "POST", "/search", market.SearchBody())
			if p := a.Problem(); a.Code() != test.code || test.code != "" && (!p.Retriable || a.Header.Get("Retry-After") == "") {
				t.Errorf("got %s", a.Body)
			}
			if test.code != "" {
				return
			}
			var got found
			a.Into(t, &got)
			if !slices.Equal(got.Degraded, []string{"pricing"}) || len(got.Results) != 2 || !strings.Contains(string(a.Body), `"rateSnapshot":null`) {
				t.Errorf("got %s", a.Body)
			}
		})
	}
}

func TestWhatWasShownAMomentAgoIsShownAsStale(t *testing.T) {
	t.Parallel()
	for stall, mood := range map[string]upstreamtest.Mood{"searches": upstreamtest.Failing, "previews": upstreamtest.Failing} {
		t.Run(stall, func(t *testing.T) {
			t.Parallel()
			market := consumertest.OpenSystem(t, 2, Function)
			v := market.Traveller()
			look(t, v, market.SearchBody())
			market.Mood(stall, mood)
			market.DB.Advance(2 * time.Minute)
			got, a := look(t, v, market.SearchBody())
			if !got.Stale || got.Degraded != nil || a.Header.Get("X-Cache") != "STALE" || len(got.Results) != 2 || got.Results[0].Rate == nil {
				t.Fatalf("got %s %s", a.Header.Get("X-Cache"), a.Body)
			}
			if stale := got.Results[0].Rate.Stale; stale != (stall == "previews") {
				t.Errorf("the price is stale: %v", stale)
			}
			market.DB.Advance(10 * time.Minute)
			if late := v.Send("POST", "/search", market.SearchBody()); stall == "searches" && late.Status != 503 {
				t.Errorf("ten minutes later: %d %s", late.Status, late.Body)
			}
		})
	}
}

func TestTheSameSearchWithinAnHourIsOneSession(t *testing.T) {
	t.Parallel()
	market := consumertest.OpenSystem(t, 3, Function)
	v := market.Traveller()
	first, _ := look(t, v, market.SearchBody())
	body := market.SearchBody() // for later: the clock will have moved, the days have not
	for name, more := range map[string]string{"again": "", "the next page": `,"page":{"offset":20}`, "in another order": `,"sortKey":"price-asc"`} {
		if next, _ := look(t, v, market.SearchBody(more)); next.Search != first.Search {
			t.Errorf("%s: another session", name)
		}
	}
	if other, _ := look(t, v, market.SearchBodyIn(`{"mode":"city","city":"Herat"}`)); other.Search == first.Search {
		t.Error("elsewhere: the same session")
	}
	if stranger, _ := look(t, market.Traveller(), market.SearchBody()); stranger.Search == first.Search {
		t.Error("somebody else's: the same session")
	}
	if kept := v.StoredSession().SearchHistory; len(kept) != 2 || kept[1].Search != first.Search || kept[1].Geo != (search.GeoQuery{Mode: search.City, City: "Kabul"}) || kept[0].Geo.City != "" {
		t.Errorf("remembered %+v", kept)
	}
	market.DB.Advance(time.Hour)
	if later, _ := look(t, v, body); later.Search == first.Search {
		t.Error("an hour later: the same session")
	}
	if n := len(v.StoredSession().SearchHistory); n != 3 {
		t.Errorf("%d searches are remembered", n)
	}
}

func TestASearchThatNobodyCanMeanIsRefused(t *testing.T) {
	t.Parallel()
	market := consumertest.OpenSystem(t, 1, Function)
	v := market.Traveller()
	checkIn, checkOut := market.Dates(7, 2)
	late, _ := market.Dates(402, 1)
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
		a := v.Send("POST", "/search", strings.Replace(market.SearchBody(), change[0], change[1], 1))
		named := slices.ContainsFunc(a.Problem().Violations, func(v fault.Violation) bool { return v.Pointer == change[2] })
		if a.Status != 400 || !named {
			t.Errorf("%s: %d %s", change[1], a.Status, a.Body)
		}
	}
	if n := market.Asked("searches"); n != 0 {
		t.Errorf("the search service was asked %d times", n)
	}
}

func TestWithoutAStoreForDocumentsHotelsAreFoundAllTheSame(t *testing.T) {
	t.Parallel()
	market := consumertest.OpenSystem(t, 2, Function)
	v := market.Traveller()
	look(t, v, market.SearchBody())
	owner := market.DB.Owner(t)
	if _, err := owner.Exec(t.Context(), `ALTER TABLE document.documents RENAME TO gone`); err != nil {
		t.Fatal(err)
	}
	for body, state := range map[string]string{market.SearchBody(): "HIT", market.SearchBody(`,"sortKey":"price-asc"`): "BYPASS"} { // known to this process, and not
		got, a := look(t, v, body)
		if len(got.Results) != 2 || got.Results[0].Rate == nil || got.Results[0].Brand == nil || a.Header.Get("X-Cache") != state || got.Search.IsZero() {
			t.Errorf("got %s %s, want %s", a.Header.Get("X-Cache"), a.Body, state)
		}
	}
}

// Also in a process that has nothing in memory, one warm answer reads few documents, however many hotels it shows.
func TestReads_warmPage(t *testing.T) {
	t.Parallel()
	market, reads := consumertest.OpenCountingReads(t, 50, Function)
	v, body := market.Traveller(), market.SearchBody(`,"page":{"limit":50,"offset":0}`)
	look(t, v, body)
	for _, process := range []string{"same", "new"} {
		if process == "new" {
			cache.Forget(market.Env)
		}
		reads.Since()
		got, a := look(t, v, body)
		if read := reads.Since(); len(read) > 20 || len(got.Results) != 50 || a.Header.Get("X-Cache") != "HIT" {
			t.Errorf("%s process: read %d documents for %d hotels, %s: %v", process, len(read), len(got.Results), a.Header.Get("X-Cache"), read)
		}
	}
}
