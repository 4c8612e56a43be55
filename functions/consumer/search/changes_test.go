package search

import (
	"slices"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"melmastoon.ghasi.io/functions/consumer/consumertest"
	"melmastoon.ghasi.io/functions/consumer/internal/search"
	"melmastoon.ghasi.io/functions/consumer/listingindexed"
	"melmastoon.ghasi.io/functions/consumer/tenantreinstated"
	"melmastoon.ghasi.io/functions/consumer/tenantsuspended"
	"melmastoon.ghasi.io/functions/consumer/themepublished"
	"melmastoon.ghasi.io/shared/id"
)

func TestASuspendedHotelIsNotShownFromThatMomentOn(t *testing.T) {
	t.Parallel()
	market := consumertest.OpenSystem(t, 3, Function, tenantsuspended.Function, tenantreinstated.Function)
	v, closed, now := market.Traveller(), market.Hotels[1].Tenant, market.Env.Now()
	shown := func() bool {
		got, _ := look(t, v, market.SearchBody())
		return slices.ContainsFunc(got.Results, func(c search.ListingCard) bool { return c.Tenant == closed })
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
			market.Deliver(tenantsuspended.Function, closed, map[string]any{"tenantId": closed, "reason": "unpaid", "suspendedAt": when}, when)
		} else {
			market.Deliver(tenantreinstated.Function, closed, map[string]any{"tenantId": closed, "reinstatedAt": when}, when)
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
	market := consumertest.OpenSystem(t, 2, Function, listingindexed.Function)
	v, hotel := market.Traveller(), market.Hotels[0]
	look(t, v, market.SearchBody())
	look(t, v, market.SearchBodyIn(`{"mode":"city","city":"Herat"}`))
	market.Do(func() { market.Hotels[0].Name.Default = "Renamed" })
	market.DB.Advance(time.Second)
	if got, _ := look(t, v, market.SearchBody()); got.Results[0].Name.Default != "Hotel 0" {
		t.Fatalf("before it is indexed: %+v", got.Results[0])
	}
	event := map[string]any{"tenantId": hotel.Tenant, "propertyId": hotel.Property, "indexedAt": market.Env.Now(), "geoCell": "h3:8a283082aa67fff"}
	for range 2 {
		market.Deliver(listingindexed.Function, hotel.Tenant, event, market.Env.Now())
		if got, a := look(t, v, market.SearchBody()); got.Results[0].Name.Default != "Renamed" || a.Header.Get("X-Cache") != "MISS" {
			t.Errorf("afterwards: %s %+v", a.Header.Get("X-Cache"), got.Results[0])
		}
		if _, a := look(t, v, market.SearchBody()); a.Header.Get("X-Cache") != "HIT" {
			t.Errorf("and again: %s", a.Header.Get("X-Cache"))
		}
		market.DB.Advance(time.Second)
	}
	if _, a := look(t, v, market.SearchBodyIn(`{"mode":"city","city":"Herat"}`)); a.Header.Get("X-Cache") != "HIT" {
		t.Error("a list that does not show it was found anew")
	}
}

func TestANewLookIsShownAtOnceAndALateOldOneIsNotKept(t *testing.T) {
	t.Parallel()
	market := consumertest.OpenSystem(t, 2, Function, themepublished.Function)
	v, hotel := market.Traveller(), market.Hotels[0]
	published := func(tenant id.Tenant) {
		market.Deliver(themepublished.Function, tenant, map[string]any{"tenantId": tenant, "themeId": "thm_01J8KABG00000000000000000A",
			"publishedVersion": "thv_01J8KABG00000000000000000A", "publishedAt": market.Env.Now()}, market.Env.Now())
	}
	color := func() string {
		got, _ := look(t, v, market.SearchBody())
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
	market := consumertest.OpenSystem(t, 2, Function)
	market.Hotels[0].Color = "red;background:url(//evil)"
	market.Hotels[1].Color = ""
	for i := range 2 {
		got, a := look(t, market.Traveller(), market.SearchBody())
		if got.Results[0].Brand != nil || got.Results[1].Brand != nil || got.Degraded != nil {
			t.Errorf("look %d: %s", i, a.Body)
		}
	}
	if n := market.Asked("brands"); n != 1 {
		t.Errorf("who has no look was asked for it %d times", n)
	}
}
