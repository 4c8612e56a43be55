package search

import (
	"bytes"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"melmastoon.ghasi.io/functions/consumer"
	"melmastoon.ghasi.io/functions/consumer/consumertest"
	"melmastoon.ghasi.io/functions/consumer/listingindexed"
	"melmastoon.ghasi.io/functions/consumer/tenantreinstated"
	"melmastoon.ghasi.io/functions/consumer/tenantsuspended"
	"melmastoon.ghasi.io/functions/consumer/themepublished"
	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/fntest"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/locale"
	"melmastoon.ghasi.io/shared/money"
)

type found struct {
	Search   id.SearchSession       `json:"searchSessionId"`
	Results  []consumer.ListingCard `json:"results"`
	Page     consumer.Counted       `json:"page"`
	Locale   locale.Tag             `json:"locale"`
	Currency money.Currency         `json:"currency"`
	Stale    bool                   `json:"stale"`
	Degraded []string               `json:"degraded"`
}

func look(t *testing.T, v *consumertest.Traveller, body any) (got found, a fntest.Answer) {
	t.Helper()
	a = v.Must(200, "POST", "/search", body)
	a.Into(t, &got)
	return got, a
}

func TestHotelsAreFoundWithTheirPricesAndColours(t *testing.T) {
	t.Parallel()
	market := consumertest.OpenMarket(t, 3, Function)
	v := market.Traveller("Accept-Language", "ps", "X-Currency", "USD")
	got, first := look(t, v, market.Wish(`,"page":{"limit":2,"offset":1}`))
	if len(got.Results) != 2 || got.Page != (consumer.Counted{Page: consumer.Page{Limit: 2, Offset: 1}, Total: 3}) || got.Stale ||
		got.Degraded != nil || got.Locale != locale.Pashto || got.Currency != money.USD {
		t.Fatalf("got %s", first.Body)
	}
	hotel, card := market.Hotels[1], got.Results[0]
	if card.Property != hotel.Property || card.Tenant != hotel.Tenant || card.Slug != "hotel-1" || card.Name.Display != "هوټل 1" || card.Name.Default != "Hotel 1" ||
		card.Thumbnail.Alt != "کور" || len(card.Amenities) != 5 || *card.DistanceKm != 1 || card.Rating.Count != 10 {
		t.Errorf("got %+v", card)
	}
	if card.Brand == nil || card.Brand.Color != "#1a2b3c" || card.Brand.Name.Display != "هوټل 1" {
		t.Errorf("got %+v", card.Brand)
	}
	rate := card.Rate
	if rate == nil || rate.Nightly != 5000 || rate.Total != 10_000 || rate.Currency != money.USD || rate.Exponent != 2 || rate.Stale ||
		rate.Policy != consumer.InVisitors || rate.FX != consumertest.FX || rate.ExpiresAt.Sub(rate.CapturedAt) != time.Minute {
		t.Errorf("got %+v", rate)
	}
	if h := first.Header; h.Get("X-Cache") != "MISS" || h.Get("Content-Language") != "ps-AF" || !strings.Contains(h.Get("Cache-Control"), "no-store") {
		t.Errorf("got %v", h)
	}
	if own := v.Must(200, "POST", "/search", market.Wish(), "X-Currency", "AFN"); !strings.Contains(string(own.Body), `"currencyDisplayPolicy":"tenant","capturedAt"`) {
		t.Errorf("in its own currency: %s", own.Body)
	}
}

func TestAPageIsFoundOnceHoweverManyLook(t *testing.T) {
	t.Parallel()
	market := consumertest.OpenMarket(t, 50, Function)
	body := market.Wish(`,"page":{"limit":50,"offset":0}`)
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() { look(t, market.Traveller(), body) })
	}
	all.Wait()
	for stall, want := range map[string]int{"searches": 1, "previews": 1} { // 50 hotels in one question each
		if n := market.Asked(stall); n != want {
			t.Errorf("%s were asked for %d times", stall, n)
		}
	}
	_, again := look(t, market.Traveller(), body)
	if again.Header.Get("X-Cache") != "HIT" {
		t.Errorf("again: %s", again.Header.Get("X-Cache"))
	}
	asked := market.Asked("brands")
	look(t, market.Traveller(), market.Wish(`,"sortKey":"price-asc"`)) // another page of hotels whose looks are known
	if n := market.Asked("brands"); n != asked {
		t.Errorf("looks that were known were asked for")
	}
	for _, other := range []string{`,"page":{"limit":20,"offset":20}`, `,"filters":{"amenities":["wifi"]}`, `,"sortKey":"rating-desc"`} {
		before := market.Asked("searches")
		if look(t, market.Traveller(), market.Wish(other)); market.Asked("searches") != before+1 {
			t.Errorf("%s was answered with another page", other)
		}
	}
}

func TestWhatIsMissingIsSaid(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, stall string
		mood        consumertest.Mood
		status      int
		code        string
	}{
		{"prices hang", "previews", consumertest.Hanging, 200, ""},
		{"the search hangs", "searches", consumertest.Hanging, 504, "BFF.CONSUMER.UPSTREAM_BUDGET_EXCEEDED"},
		{"the search fails", "searches", consumertest.Failing, 503, "BFF.UPSTREAM_UNAVAILABLE"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			market := consumertest.OpenMarket(t, 2, Function)
			v := market.Traveller()
			v.Must(400, "POST", "/search", `{}`) // so that the session is there
			market.Mood(test.stall, test.mood)
			a := v.Must(test.status, "POST", "/search", market.Wish())
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
	for stall, mood := range map[string]consumertest.Mood{"searches": consumertest.Failing, "previews": consumertest.Failing} {
		t.Run(stall, func(t *testing.T) {
			t.Parallel()
			market := consumertest.OpenMarket(t, 2, Function)
			v := market.Traveller()
			look(t, v, market.Wish())
			market.Mood(stall, mood)
			market.DB.Advance(2 * time.Minute)
			got, a := look(t, v, market.Wish())
			if !got.Stale || got.Degraded != nil || a.Header.Get("X-Cache") != "STALE" || len(got.Results) != 2 || got.Results[0].Rate == nil {
				t.Fatalf("got %s %s", a.Header.Get("X-Cache"), a.Body)
			}
			if stale := got.Results[0].Rate.Stale; stale != (stall == "previews") {
				t.Errorf("the price is stale: %v", stale)
			}
			market.DB.Advance(10 * time.Minute)
			if late := v.Send("POST", "/search", market.Wish()); stall == "searches" && late.Status != 503 {
				t.Errorf("ten minutes later: %d %s", late.Status, late.Body)
			}
		})
	}
}

func TestTheSameSearchWithinAnHourIsOneSession(t *testing.T) {
	t.Parallel()
	market := consumertest.OpenMarket(t, 3, Function)
	v := market.Traveller()
	first, _ := look(t, v, market.Wish())
	body := market.Wish() // for later: the clock will have moved, the days have not
	for name, more := range map[string]string{"again": "", "the next page": `,"page":{"offset":20}`, "in another order": `,"sortKey":"price-asc"`} {
		if next, _ := look(t, v, market.Wish(more)); next.Search != first.Search {
			t.Errorf("%s: another session", name)
		}
	}
	if other, _ := look(t, v, market.WishIn(`{"mode":"city","city":"Herat"}`)); other.Search == first.Search {
		t.Error("elsewhere: the same session")
	}
	if stranger, _ := look(t, market.Traveller(), market.Wish()); stranger.Search == first.Search {
		t.Error("somebody else's: the same session")
	}
	if kept := v.Kept().SearchHistory; len(kept) != 2 || kept[1].Search != first.Search || kept[1].Geo != (consumer.GeoQuery{Mode: consumer.City, City: "Kabul"}) || kept[0].Geo.City != "" {
		t.Errorf("remembered %+v", kept)
	}
	market.DB.Advance(time.Hour)
	if later, _ := look(t, v, body); later.Search == first.Search {
		t.Error("an hour later: the same session")
	}
	if n := len(v.Kept().SearchHistory); n != 3 {
		t.Errorf("%d searches are remembered", n)
	}
}

type place struct {
	Mode    string `json:"mode"`
	City    string `json:"city"`
	Country string `json:"country"`
}

func TestSearchesAreToldAsOftenAsIsSaid(t *testing.T) {
	t.Parallel()
	market := consumertest.OpenMarket(t, 3, Function)
	market.EverySearch()
	v := market.Traveller("Accept-Language", "ps", "X-Currency", "USD")
	v.Must(200, "POST", "/search", market.WishIn(`{"mode":"city","city":"کابل"}`, `,"filters":{"amenities":["wifi","swimming-pool"],"starRating":[4]},"sortKey":"price-asc","page":{"limit":1,"offset":1}`))
	var told struct {
		Session id.GuestSession `json:"guestSessionId"`
		Hash    string          `json:"queryHash"`
		Kind    string          `json:"kind"`
		Geo     place           `json:"geo"`
		Keys    []string        `json:"filterKeys"`
		Sort    string          `json:"sortKey"`
		Page    consumer.Page   `json:"page"`
		Count   int             `json:"resultCount"`
		Cached  bool            `json:"fromCache"`
	}
	envelope, key := market.Payload("search.executed", &told)
	if told.Session != v.Session || !strings.HasPrefix(told.Hash, "sha256:") || told.Kind != "list" || told.Sort != "price-asc" || told.Cached ||
		told.Page != (consumer.Page{Limit: 1, Offset: 1}) || told.Count != 3 || !slices.Equal(told.Keys, []string{"wifi", "star-rating"}) {
		t.Errorf("told %+v", told)
	}
	if told.Geo != (place{"city", "Kabul", "AF"}) {
		t.Errorf("the city is named as the hotels there name it: %+v", told.Geo)
	}
	if envelope["tenantId"] != nil || envelope["sessionId"] != v.Session.String() || key != v.Session.String() {
		t.Errorf("told in %v, by %s", envelope, key)
	}
	v.Must(200, "POST", "/search", market.WishIn(`{"mode":"city","city":"کابل"}`, `,"filters":{"amenities":["wifi","swimming-pool"],"starRating":[4]},"sortKey":"price-asc","page":{"limit":1,"offset":1}`))
	if market.Payload("search.executed", &told); !told.Cached {
		t.Error("an answer that was kept is told as found")
	}
	market.Counted("search.executed", 2)
	for _, header := range []string{"DNT", "Sec-GPC"} {
		market.Traveller(header, "1").Must(200, "POST", "/search", market.Wish())
	}
	market.Counted("search.executed", 2)
}

func TestOneSearchInTenIsTold(t *testing.T) {
	t.Parallel()
	market := consumertest.OpenMarket(t, 1, Function)
	v := market.Traveller()
	for range 60 {
		look(t, v, market.Wish())
	}
	n := 0
	for _, told := range market.Told() {
		if told == "search.executed" {
			n++
		}
	}
	if n > 25 { // of 60, at one in ten: more happens less than once in a billion runs
		t.Errorf("%d of 60 were told", n)
	}
}

// A sink takes what a test's log would have had.
type sink struct {
	testing.TB
	mu  sync.Mutex
	log bytes.Buffer
}

func (s *sink) Output() io.Writer { return s }

func (s *sink) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.log.Write(p)
}

func TestWhatIsTypedReachesNoEventNoLogNoKeyAndNoRefusal(t *testing.T) {
	t.Parallel()
	log := &sink{TB: t}
	market := consumertest.OpenMarket(log, 3, Function)
	market.EverySearch()
	const mail, phone, name = "canary@example.com", "+93 70 000 4711", "zarghona-canary"
	for _, test := range []struct {
		status int
		body   string
	}{
		{200, market.WishIn(`{"mode":"city","city":"` + mail + `"}`)},
		{200, market.WishIn(`{"mode":"region","region":"` + phone + `"}`)},
		{200, market.Wish(`,"filters":{"neighbourhoods":["` + mail + `"],"amenities":["` + name + `"],"propertyType":["` + name + `"]}`)},
		{400, market.Wish(`,"filters":{"amenities":["` + mail + `"]}`)},
		{400, market.Wish(`,"filters":{"cancellationFlexibility":"` + mail + `"}`)},
		{400, market.Wish(`,"sortKey":"` + mail + `"`)},
		{400, market.Wish(`,"` + mail + `":1`)},
		{400, market.WishIn(`{"mode":"` + mail + `","city":"Kabul"}`)},
		{400, market.WishIn(`{"mode":"city","city":"` + strings.Repeat(mail, 9) + `"}`)},
	} {
		v := market.Traveller()
		a := v.Must(test.status, "POST", "/search", test.body)
		for _, canary := range []string{"canary", phone} {
			if text := string(a.Body); strings.Contains(text, canary) && !strings.Contains(text, `"pointer":"/`+mail) {
				t.Errorf("%s is in the answer to %s: %s", canary, test.body, text)
			}
		}
	}
	market.Counted("search.executed", 3)
	for table, text := range consumertest.Texts(t, market.DB) {
		for _, canary := range []string{"canary", "4711"} {
			if strings.Contains(text, canary) {
				t.Errorf("%s is in %s", canary, table)
			}
		}
	}
	if text := log.log.String(); !strings.Contains(text, "consumer-search") || strings.Contains(text, "canary") || strings.Contains(text, "4711") {
		t.Errorf("the log says %s", text)
	}
	if !strings.Contains(market.Body("searches"), name) {
		t.Errorf("the search service was not asked: %s", market.Body("searches"))
	}
}

func TestASearchThatNobodyCanMeanIsRefused(t *testing.T) {
	t.Parallel()
	market := consumertest.OpenMarket(t, 1, Function)
	v := market.Traveller()
	checkIn, checkOut := market.Days(7, 2)
	late, _ := market.Days(402, 1)
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
		a := v.Send("POST", "/search", strings.Replace(market.Wish(), change[0], change[1], 1))
		named := slices.ContainsFunc(a.Problem().Violations, func(v fault.Violation) bool { return v.Pointer == change[2] })
		if a.Status != 400 || !named {
			t.Errorf("%s: %d %s", change[1], a.Status, a.Body)
		}
	}
	if n := market.Asked("searches"); n != 0 {
		t.Errorf("the search service was asked %d times", n)
	}
}

func TestASuspendedHotelIsNotShownFromThatMomentOn(t *testing.T) {
	t.Parallel()
	market := consumertest.OpenMarket(t, 3, Function, tenantsuspended.Function, tenantreinstated.Function)
	v, closed, now := market.Traveller(), market.Hotels[1].Tenant, market.Env.Now()
	shown := func() bool {
		got, _ := look(t, v, market.Wish())
		return slices.ContainsFunc(got.Results, func(c consumer.ListingCard) bool { return c.Tenant == closed })
	}
	type heard struct {
		suspended bool
		at        time.Duration
	}
	for i, step := range []struct {
		heard
		want bool // is it shown then
	}{
		{heard{true, 0}, false}, {heard{true, 0}, false}, {heard{false, time.Minute}, true},
		{heard{true, 30 * time.Second}, true}, // older than what was heard before
		{heard{true, 2 * time.Minute}, false}, {heard{false, time.Minute}, false}, {heard{false, 3 * time.Minute}, true},
	} {
		when := now.Add(step.at)
		if step.suspended {
			market.Hears(tenantsuspended.Function, closed, map[string]any{"tenantId": closed, "reason": "unpaid", "suspendedAt": when}, when)
		} else {
			market.Hears(tenantreinstated.Function, closed, map[string]any{"tenantId": closed, "reinstatedAt": when}, when)
		}
		if got := shown(); got != step.want {
			t.Errorf("after event %d: shown is %v", i, got)
		}
	}
	if n := market.Asked("searches"); n != 1 {
		t.Errorf("the search service was asked %d times", n)
	}
}

func TestAHotelThatIsIndexedAnewIsShownAsItIsNow(t *testing.T) {
	t.Parallel()
	market := consumertest.OpenMarket(t, 2, Function, listingindexed.Function)
	v, hotel := market.Traveller(), market.Hotels[0]
	look(t, v, market.Wish())
	look(t, v, market.WishIn(`{"mode":"city","city":"Herat"}`))
	market.Do(func() { market.Hotels[0].Name.Default = "Renamed" })
	market.DB.Advance(time.Second)
	if got, _ := look(t, v, market.Wish()); got.Results[0].Name.Default != "Hotel 0" {
		t.Fatalf("before it is indexed: %+v", got.Results[0])
	}
	event := map[string]any{"tenantId": hotel.Tenant, "propertyId": hotel.Property, "indexedAt": market.Env.Now(), "geoCell": "h3:8a283082aa67fff"}
	for range 2 {
		market.Hears(listingindexed.Function, hotel.Tenant, event, market.Env.Now())
		if got, a := look(t, v, market.Wish()); got.Results[0].Name.Default != "Renamed" || a.Header.Get("X-Cache") != "MISS" {
			t.Errorf("afterwards: %s %+v", a.Header.Get("X-Cache"), got.Results[0])
		}
		if _, a := look(t, v, market.Wish()); a.Header.Get("X-Cache") != "HIT" {
			t.Errorf("and again: %s", a.Header.Get("X-Cache"))
		}
		market.DB.Advance(time.Second)
	}
	if _, a := look(t, v, market.WishIn(`{"mode":"city","city":"Herat"}`)); a.Header.Get("X-Cache") != "HIT" {
		t.Error("a list that does not show it was found anew")
	}
}

func TestANewLookIsShownAtOnceAndALateOldOneIsNotKept(t *testing.T) {
	t.Parallel()
	market := consumertest.OpenMarket(t, 2, Function, themepublished.Function)
	v, hotel := market.Traveller(), market.Hotels[0]
	published := func(tenant id.Tenant) {
		market.Hears(themepublished.Function, tenant, map[string]any{"tenantId": tenant, "themeId": "thm_01J8KABG00000000000000000A",
			"publishedVersion": "thv_01J8KABG00000000000000000A", "publishedAt": market.Env.Now()}, market.Env.Now())
	}
	color := func() string {
		got, _ := look(t, v, market.Wish())
		return got.Results[0].Brand.Color
	}
	// The old look is on its way to the cache when the new one is published: it must not stay there.
	asked, answer, late := make(chan struct{}), make(chan struct{}), make(chan string)
	v.Must(400, "POST", "/search", `{}`)
	market.Before(func(stall string) {
		if stall == "brands" {
			close(asked)
			<-answer
		}
	})
	go func() { late <- color() }()
	<-asked
	market.Before(func(string) {})
	market.Do(func() { market.Hotels[0].Color = "#00ff00" })
	published(hotel.Tenant)
	close(answer)
	if got := <-late; got != "#1a2b3c" {
		t.Fatalf("the test did not race: %s", got)
	}
	if got := color(); got != "#00ff00" {
		t.Errorf("%s stayed", got)
	}
	before := market.Asked("brands")
	published(market.Hotels[1].Tenant)
	color()
	var asked2 struct {
		Tenants []id.Tenant `json:"tenantIds"`
	}
	if err := json.Unmarshal([]byte(market.Body("brands")), &asked2); err != nil || market.Asked("brands") != before+1 || !slices.Equal(asked2.Tenants, []id.Tenant{market.Hotels[1].Tenant}) {
		t.Errorf("after another's was published: asked for %v, %v", asked2.Tenants, err)
	}
}

func TestALookThatIsNoneIsNotShown(t *testing.T) {
	t.Parallel()
	market := consumertest.OpenMarket(t, 2, Function)
	market.Hotels[0].Color = "red;background:url(//evil)"
	market.Hotels[1].Color = ""
	for i := range 2 {
		got, a := look(t, market.Traveller(), market.Wish())
		if got.Results[0].Brand != nil || got.Results[1].Brand != nil || got.Degraded != nil {
			t.Errorf("look %d: %s", i, a.Body)
		}
	}
	if n := market.Asked("brands"); n != 1 {
		t.Errorf("who has no look was asked for it %d times", n)
	}
}

func TestWithoutAStoreForDocumentsHotelsAreFoundAllTheSame(t *testing.T) {
	t.Parallel()
	market := consumertest.OpenMarket(t, 2, Function)
	v := market.Traveller()
	look(t, v, market.Wish())
	owner := market.DB.Owner(t)
	if _, err := owner.Exec(t.Context(), `ALTER TABLE document.documents RENAME TO gone`); err != nil {
		t.Fatal(err)
	}
	got, a := look(t, v, market.Wish())
	if len(got.Results) != 2 || got.Results[0].Rate == nil || got.Results[0].Brand == nil || a.Header.Get("X-Cache") != "BYPASS" || got.Search.IsZero() {
		t.Errorf("got %s %s", a.Header.Get("X-Cache"), a.Body)
	}
}
