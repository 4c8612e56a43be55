package search

import (
	"fmt"
	"slices"
	"strings"
	"sync"
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
	"melmastoon.ghasi.io/shared/testkit/check"
)

func TestSearch_suspendedHotel(t *testing.T) {
	t.Parallel()
	system := consumertest.OpenSystem(t, 3, Function, tenantsuspended.Function, tenantreinstated.Function)
	v, closed, now := system.Traveller(), system.Hotels[1].Tenant, system.Env.Now()
	shown := func() bool {
		got, _ := post(t, v, system.SearchBody())
		return slices.ContainsFunc(got.Results, func(c search.ListingCard) bool { return c.Tenant == closed })
	}
	type statusEvent struct {
		suspended bool
		at        time.Duration
	}
	for i, step := range []struct {
		statusEvent
		want bool // is it shown then
	}{
		{statusEvent{true, 0}, false}, {statusEvent{true, 0}, false}, {statusEvent{false, time.Minute}, true},
		{statusEvent{true, 30 * time.Second}, true}, // older than the event before
		{statusEvent{true, 2 * time.Minute}, false}, {statusEvent{false, time.Minute}, false}, {statusEvent{false, 3 * time.Minute}, true},
	} {
		t.Run(fmt.Sprint(step.want), func(t *testing.T) {
			when := now.Add(step.at)
			if step.suspended {
				system.Deliver(tenantsuspended.Function, closed, map[string]any{"tenantId": closed, "reason": "unpaid", "suspendedAt": when}, when)
			} else {
				system.Deliver(tenantreinstated.Function, closed, map[string]any{"tenantId": closed, "reinstatedAt": when}, when)
			}
			check.Equal(t, shown(), step.want, "after event %d: shown", i)
		})
	}
	check.Equal(t, system.Calls("searches"), 1, "calls of the search service")
}

func TestSearch_indexedHotel(t *testing.T) {
	t.Parallel()
	system := consumertest.OpenSystem(t, 2, Function, listingindexed.Function)
	v, hotel := system.Traveller(), system.Hotels[0]
	post(t, v, system.SearchBody())
	post(t, v, system.SearchBodyIn(`{"mode":"city","city":"Herat"}`))
	system.Do(func() { system.Hotels[0].Name.Default = "Renamed" })
	system.DB.Advance(time.Second)
	if got, _ := post(t, v, system.SearchBody()); got.Results[0].Name.Default != "Hotel 0" {
		t.Fatalf("before it is indexed: %+v", got.Results[0])
	}
	event := map[string]any{"tenantId": hotel.Tenant, "propertyId": hotel.Property, "indexedAt": system.Env.Now(), "geoCell": "h3:8a283082aa67fff"}
	for range 2 {
		system.Deliver(listingindexed.Function, hotel.Tenant, event, system.Env.Now())
		got, a := post(t, v, system.SearchBody())
		check.Equal(t, got.Results[0].Name.Default, "Renamed", "afterwards")
		check.Equal(t, a.Header.Get("X-Cache"), "MISS", "afterwards")
		if _, a := post(t, v, system.SearchBody()); a.Header.Get("X-Cache") != "HIT" {
			t.Errorf("and again: %s", a.Header.Get("X-Cache"))
		}
		system.DB.Advance(5 * time.Second)
	}
	if _, a := post(t, v, system.SearchBodyIn(`{"mode":"city","city":"Herat"}`)); a.Header.Get("X-Cache") != "HIT" {
		t.Error("a list that does not show it was found anew")
	}
}

// A new hotel appears in the next list of its area. Lists elsewhere stay cached, and so does a list of a large place, for which the
// search service names no cells.
func TestSearch_newHotel(t *testing.T) {
	t.Parallel()
	system := consumertest.OpenSystem(t, 2, Function, listingindexed.Function)
	v := system.Traveller()
	const (
		kabul = `{"mode":"city","city":"Kabul"}`
		point = `{"mode":"point","point":{"lat":34.5,"lng":69.1,"radiusKm":20}}`
		herat = `{"mode":"point","point":{"lat":34.3,"lng":62.2,"radiusKm":20}}`
		large = `{"mode":"region","region":"Afghanistan"}`
	)
	ask := func(place string, hotels int, state string) {
		t.Helper()
		got, a := post(t, v, system.SearchBodyIn(place))
		check.Equal(t, len(got.Results), hotels, "%s: hotels", place)
		check.Equal(t, a.Header.Get("X-Cache"), state, "%s: X-Cache", place)
	}
	for place, cells := range map[string][]string{
		kabul: {"h3:8420905ffffffff", "h3:842090dffffffff"}, point: {"h3:85209043fffffff", "h3:8520905bfffffff"}, // finer cells are possible too
		herat: {"h3:8443455ffffffff", "h3:83443dfffffffff"}, large: nil,
	} {
		system.Do(func() { system.Cells = cells })
		ask(place, 2, "MISS")
	}
	system.Do(func() { system.Cells = []string{"h3:8420905ffffffff"} })
	fresh := system.Hotels[0]
	fresh.Property, fresh.Tenant = id.New[id.Property](), id.New[id.Tenant]()
	system.Do(func() { system.Hotels = append(system.Hotels, fresh) })
	event := map[string]any{"tenantId": fresh.Tenant, "propertyId": fresh.Property, "indexedAt": system.Env.Now(), "geoCell": "h3:8a20905b4a9ffff"}
	for _, occurred := range []time.Duration{0, 0, -20 * time.Minute} {
		system.DB.Advance(5 * time.Second)
		system.Deliver(listingindexed.Function, fresh.Tenant, event, system.Env.Now().Add(occurred))
		for _, place := range []string{kabul, point} {
			ask(place, 3, "MISS")
			ask(place, 3, "HIT")
		}
	}
	ask(herat, 2, "HIT")
	ask(large, 2, "HIT")
	system.DB.Advance(time.Minute)
	ask(large, 3, "MISS")
}

// An answer that was on its way when a hotel was indexed does not stay cached.
func TestSearch_indexedMeanwhile(t *testing.T) {
	t.Parallel()
	system := consumertest.OpenSystem(t, 2, Function, listingindexed.Function)
	v := system.Traveller()
	system.Cells = []string{"h3:8420905ffffffff"}
	fresh := system.Hotels[0]
	fresh.Property, fresh.Tenant = id.New[id.Property](), id.New[id.Tenant]()
	asked, indexed := make(chan struct{}), make(chan struct{})
	var once sync.Once
	system.Before(func(route string) {
		if route == "previews" { // the search has been answered
			once.Do(func() { close(asked); <-indexed })
		}
	})
	go func() {
		<-asked
		system.Do(func() { system.Hotels = append(system.Hotels, fresh) })
		system.Deliver(listingindexed.Function, fresh.Tenant, map[string]any{"tenantId": fresh.Tenant, "propertyId": fresh.Property,
			"indexedAt": system.Env.Now(), "geoCell": "h3:8a20905b4a9ffff"}, system.Env.Now())
		close(indexed)
	}()
	if got, _ := post(t, v, system.SearchBody()); len(got.Results) != 2 {
		t.Fatalf("the test did not race: %d hotels", len(got.Results))
	}
	if got, _ := post(t, v, system.SearchBody()); len(got.Results) != 3 {
		t.Errorf("len(got.Results) = %d, want 3", len(got.Results))
	}
}

func TestSearch_publishedTheme(t *testing.T) {
	t.Parallel()
	system := consumertest.OpenSystem(t, 2, Function, themepublished.Function)
	v, hotel := system.Traveller(), system.Hotels[0]
	published := func(tenant id.Tenant) {
		system.Deliver(themepublished.Function, tenant, map[string]any{"tenantId": tenant, "themeId": "thm_01J8KABG00000000000000000A",
			"publishedVersion": "thv_01J8KABG00000000000000000A", "publishedAt": system.Env.Now()}, system.Env.Now())
	}
	color := func() string {
		got, _ := post(t, v, system.SearchBody())
		return got.Results[0].Brand.Color
	}
	// The old brand is on its way to the cache when the new one is published: it must not stay there.
	asked, answer, late := make(chan struct{}), make(chan struct{}), make(chan string)
	v.Must(400, "POST", "/search", `{}`)
	system.Before(func(route string) {
		if route == "brands" {
			close(asked)
			<-answer
		}
	})
	go func() { late <- color() }()
	<-asked
	system.Before(func(string) {})
	system.Do(func() { system.Hotels[0].Color = "#00ff00" })
	published(hotel.Tenant)
	close(answer)
	check.MustEqual(t, <-late, "#1a2b3c", "the test did not race")
	check.Equal(t, color(), "#00ff00", "stayed")
	before := system.Calls("brands")
	published(system.Hotels[1].Tenant)
	color()
	var asked2 struct {
		Tenants []id.Tenant `json:"tenantIds"`
	}
	err := json.Unmarshal([]byte(system.Body("brands")), &asked2)
	check.Must(t, err)
	check.Equal(t, system.Calls("brands"), before+1)
	check.Equal(t, asked2.Tenants, []id.Tenant{system.Hotels[1].Tenant})
}

func TestSearch_invalidBrand(t *testing.T) {
	t.Parallel()
	system := consumertest.OpenSystem(t, 2, Function)
	system.Hotels[0].Color = "red;background:url(//evil)"
	system.Hotels[1].Color = ""
	for i := range 2 {
		got, _ := post(t, system.Traveller(), system.SearchBody())
		for n, card := range got.Results { // the hotel's own name stands beside a neutral colour and logo
			if card.Brand.Color != "#5b6470" || !strings.HasPrefix(card.Brand.LogoURL, "data:image/svg+xml,") {
				t.Errorf("request %d: got.Results[%d].Brand = %+v, want a neutral one", i, n, card.Brand)
			}
			check.Equal(t, card.Brand.Name.Display, card.Name.Display, "request %d: got.Results[%d].Brand.Name.Display", i, n)
		}
		check.Equal(t, got.Degraded, nil, "request %d", i)
	}
	check.Equal(t, system.Calls("brands"), 1, "calls of the theme service")
}
