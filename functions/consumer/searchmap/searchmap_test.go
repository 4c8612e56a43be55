package searchmap

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"melmastoon.ghasi.io/functions/consumer/consumertest"
	"melmastoon.ghasi.io/functions/consumer/internal/search"
	"melmastoon.ghasi.io/functions/consumer/listingindexed"
	"melmastoon.ghasi.io/functions/consumer/tenantsuspended"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/testkit/fntest"
	"melmastoon.ghasi.io/shared/testkit/upstreamtest"
)

type marked struct {
	Search    id.SearchSession `json:"searchSessionId"`
	Pins      []search.MapPin  `json:"pins"`
	Total     int              `json:"total"`
	Clustered bool             `json:"clustered"`
	Truncated bool             `json:"truncated"`
	Stale     bool             `json:"stale"`
	Degraded  []string         `json:"degraded"`
}

const kabul = `{"mode":"bounding-box","boundingBox":{"swLat":34,"swLng":69,"neLat":35,"neLng":70}}`

func post(t *testing.T, v *consumertest.Traveller, body any) (got marked, a fntest.Answer) {
	t.Helper()
	a = v.Must(200, "POST", "/search/map", body)
	a.Into(t, &got)
	return got, a
}

func priced(pins []search.MapPin) (n int) {
	for _, p := range pins {
		if p.Nightly != nil {
			n++
		}
	}
	return n
}

func TestSearchMap_pins(t *testing.T) {
	t.Parallel()
	system := consumertest.OpenSystem(t, 30, Function)
	system.EverySearch()
	v := system.Traveller("X-Currency", "USD")
	got, a := post(t, v, system.SearchBodyIn(kabul))
	if len(got.Pins) != 30 {
		t.Fatalf("len(got.Pins) = %d, want 30", len(got.Pins))
	}
	if got.Total != 30 {
		t.Fatalf("got.Total = %d, want 30", got.Total)
	}
	if got.Clustered {
		t.Fatal("got.Clustered = true, want false")
	}
	if got.Truncated {
		t.Fatal("got.Truncated = true, want false")
	}
	if got.Stale {
		t.Fatal("got.Stale = true, want false")
	}
	if got.Degraded != nil {
		t.Fatalf("got.Degraded = %q, want nil", got.Degraded)
	}
	if priced(got.Pins) != 20 {
		t.Fatalf("priced(got.Pins) = %d, want 20", priced(got.Pins))
	}
	first := got.Pins[0]
	if first.Property != system.Hotels[0].Property {
		t.Errorf("first.Property = %v, want %v", first.Property, system.Hotels[0].Property)
	}
	if first.Geo != system.Hotels[0].Geo {
		t.Errorf("first.Geo = %+v, want %+v", first.Geo, system.Hotels[0].Geo)
	}
	if first.Color != "#1a2b3c" {
		t.Errorf(`first.Color = %q, want "#1a2b3c"`, first.Color)
	}
	if first.Count != 1 {
		t.Errorf("first.Count = %d, want 1", first.Count)
	}
	if *first.Nightly != 5000 {
		t.Errorf("*first.Nightly = %d, want 5000", *first.Nightly)
	}
	if *first.Currency != money.USD {
		t.Errorf("*first.Currency = %q, want %q", *first.Currency, money.USD)
	}
	if *first.Exponent != 2 {
		t.Errorf("*first.Exponent = %d, want 2", *first.Exponent)
	}
	if strings.Count(string(a.Body), `"currency"`) != 20 {
		t.Errorf("an amount without its currency, or a currency without an amount: %s", a.Body)
	}
	highlighted, a := post(t, v, system.SearchBodyIn(kabul, `,"spotlight":["`+system.Hotels[25].Property.String()+`"]`))
	if priced(highlighted.Pins) != 1 {
		t.Errorf("in the spotlight: priced(highlighted.Pins) = %d, want 1", priced(highlighted.Pins))
	}
	if highlighted.Pins[25].Nightly == nil {
		t.Error("in the spotlight: highlighted.Pins[25].Nightly = nil, want a value")
	}
	if highlighted.Search != got.Search {
		t.Errorf("in the spotlight: highlighted.Search = %v, want %v", highlighted.Search, got.Search)
	}
	if a.Header.Get("X-Cache") != "MISS" {
		t.Errorf(`in the spotlight: a.Header.Get("X-Cache") = %q, want "MISS"`, a.Header.Get("X-Cache"))
	}
	_, a = post(t, v, system.SearchBodyIn(kabul))
	if a.Header.Get("X-Cache") != "HIT" {
		t.Errorf(`again: a.Header.Get("X-Cache") = %q, want "HIT"`, a.Header.Get("X-Cache"))
	}
	if diff := cmp.Diff(map[string]int{"pins": 1, "previews": 2, "brands": 1}, system.AllCalls()); diff != "" {
		t.Errorf("calls of other services (-want +got):\n%s", diff)
	}
	var published struct {
		Kind string   `json:"kind"`
		Keys []string `json:"filterKeys"`
		Geo  struct {
			Mode    string `json:"mode"`
			City    string `json:"city"`
			Country string `json:"country"`
		} `json:"geo"`
	}
	v.Must(200, "POST", "/search/map", system.SearchBodyIn(kabul, `,"filters":{"amenities":["wifi"],"propertyType":["hostel","zarghona"],"guestRatingMin":4}`))
	system.Payload("search.executed", &published)
	if want := []string{"wifi", "hostel", "property-type", "guest-rating"}; !slices.Equal(published.Keys, want) {
		t.Errorf("published.Keys = %q, want %q", published.Keys, want)
	}
	if published.Geo.City != "Kabul" || published.Geo.Country != "AF" {
		t.Errorf("published.Geo = %+v, want Kabul, AF", published.Geo)
	}
	if published.Kind != "map" {
		t.Errorf(`published.Kind = %q, want "map"`, published.Kind)
	}
	if published.Geo.Mode != "bounding-box" {
		t.Errorf(`published.Geo.Mode = %q, want "bounding-box"`, published.Geo.Mode)
	}
}

func hotels(pins []search.MapPin) (n int) {
	for _, p := range pins {
		n += p.Count
	}
	return n
}

func TestSearchMap_clustered(t *testing.T) {
	t.Parallel()
	system := consumertest.OpenSystem(t, 520, Function)
	got, _ := post(t, system.Traveller(), system.SearchBodyIn(kabul))
	if !got.Clustered {
		t.Error("got.Clustered = false, want true")
	}
	if got.Truncated {
		t.Error("got.Truncated = true, want false")
	}
	if len(got.Pins) > 200 {
		t.Errorf("len(got.Pins) = %d, want at most 200", len(got.Pins))
	}
	if hotels(got.Pins) != 520 {
		t.Errorf("the counts add up to %d, want 520", hotels(got.Pins))
	}
	if got.Total != 520 {
		t.Errorf("got.Total = %d, want 520", got.Total)
	}
	if priced(got.Pins[:20]) != 20 {
		t.Errorf("%d of the first 20 clusters have a price, want 20", priced(got.Pins[:20]))
	}
	if priced(got.Pins) != 20 {
		t.Errorf("%d pins have a price, want 20", priced(got.Pins))
	}
}

func TestSearchMap_incompleteCounts(t *testing.T) {
	t.Parallel()
	system := consumertest.OpenSystem(t, 520, Function)
	system.Hidden = 7
	got, _ := post(t, system.Traveller(), system.SearchBodyIn(kabul))
	if !got.Truncated {
		t.Error("got.Truncated = false, want true")
	}
	if got.Total != 527 {
		t.Errorf("got.Total = %d, want 527", got.Total)
	}
}

func TestSearchMap_brandCalls(t *testing.T) {
	t.Parallel()
	system := consumertest.OpenSystem(t, 200, Function)
	got, _ := post(t, system.Traveller(), system.SearchBodyIn(kabul))
	if len(got.Pins) != 200 {
		t.Errorf("len(got.Pins) = %d, want 200", len(got.Pins))
	}
	if got.Clustered {
		t.Error("got.Clustered = true, want false")
	}
	if diff := cmp.Diff(map[string]int{"pins": 1, "previews": 1, "brands": 2}, system.AllCalls()); diff != "" { // 150 brands at most in one
		t.Errorf("calls of other services (-want +got):\n%s", diff)
	}
}

func TestSearchMap_suspendedHotel(t *testing.T) {
	t.Parallel()
	system := consumertest.OpenSystem(t, 3, Function, tenantsuspended.Function)
	v, closed, now := system.Traveller(), system.Hotels[1].Tenant, system.Env.Now()
	post(t, v, system.SearchBodyIn(kabul))
	system.Deliver(tenantsuspended.Function, closed, map[string]any{"tenantId": closed, "reason": "unpaid", "suspendedAt": now}, now)
	got, _ := post(t, v, system.SearchBodyIn(kabul))
	if len(got.Pins) != 2 {
		t.Errorf("len(got.Pins) = %d, want 2", len(got.Pins))
	}
	if got.Total != 2 {
		t.Errorf("got.Total = %d, want 2", got.Total)
	}
	if got.Truncated {
		t.Error("got.Truncated = true, want false")
	}
}

// A cluster whose most popular hotel was suspended shows the next one, with its price. While the search service does not answer,
// the cluster keeps its place without a price, and the answer is stale.
func TestSearchMap_suspendedInCluster(t *testing.T) {
	t.Parallel()
	for name, behavior := range map[string]upstreamtest.Behavior{"working": upstreamtest.Working, "hanging": upstreamtest.Hanging,
		"failing": upstreamtest.Failing, "garbled": upstreamtest.Garbled, "garbage": upstreamtest.Garbage} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			system := consumertest.OpenSystem(t, 520, Function, tenantsuspended.Function)
			v, best, next := system.Traveller(), system.Hotels[0], system.Hotels[1]
			if before, _ := post(t, v, system.SearchBodyIn(kabul)); before.Pins[0].Property != best.Property || before.Pins[0].Nightly == nil {
				t.Fatalf("before: the first pin is %+v, want %v with a price", before.Pins[0], best.Property)
			}
			system.DB.Advance(time.Second)
			now := system.Env.Now()
			system.Do(func() { system.Hotels[0].Suspended = true })
			system.SetBehavior("pins", behavior)
			system.Deliver(tenantsuspended.Function, best.Tenant, map[string]any{"tenantId": best.Tenant, "reason": "unpaid", "suspendedAt": now}, now)
			for range 2 {
				began := time.Now()
				got, _ := post(t, v, system.SearchBodyIn(kabul))
				if took := time.Since(began); took > system.Env.Timeout(1200*time.Millisecond) { // a request may take 1.5 s
					t.Errorf("took = %v, want about %v", took, system.Env.Timeout(500*time.Millisecond))
				}
				want, total, working := best.Property, 520, behavior == upstreamtest.Working
				if working {
					want, total = next.Property, 519
				}
				if got.Pins[0].Property != want {
					t.Errorf("got.Pins[0].Property = %v, want %v", got.Pins[0].Property, want)
				}
				if has := got.Pins[0].Nightly != nil; has != working {
					t.Errorf("the first pin has a price: %t, want %t", has, working)
				}
				if got.Stale == working {
					t.Errorf("got.Stale = %t, want %t", got.Stale, !working)
				}
				if got.Total != total || hotels(got.Pins) != total {
					t.Errorf("got.Total = %d, and the counts add up to %d, want %d", got.Total, hotels(got.Pins), total)
				}
				if priced(got.Pins) != 20 {
					t.Errorf("priced(got.Pins) = %d, want 20", priced(got.Pins))
				}
			}
			if working := behavior == upstreamtest.Working; working && system.Calls("pins") != 2 {
				t.Errorf(`system.Calls("pins") = %d, want 2`, system.Calls("pins"))
			}
		})
	}
}

// A new hotel appears on the next map of its area, however often and late its event arrives. Maps elsewhere stay cached.
func TestSearchMap_newHotel(t *testing.T) {
	t.Parallel()
	system := consumertest.OpenSystem(t, 2, Function, listingindexed.Function)
	v := system.Traveller()
	ask := func(place string, pins int, state string) {
		t.Helper()
		got, a := post(t, v, system.SearchBodyIn(place))
		if len(got.Pins) != pins {
			t.Errorf("len(got.Pins) = %d, want %d", len(got.Pins), pins)
		}
		if a.Header.Get("X-Cache") != state {
			t.Errorf("X-Cache = %q, want %q", a.Header.Get("X-Cache"), state)
		}
	}
	const elsewhere = `{"mode":"bounding-box","boundingBox":{"swLat":34.1,"swLng":62,"neLat":34.5,"neLng":62.4}}`
	system.Cells = []string{"h3:8443455ffffffff"}
	ask(elsewhere, 0, "MISS")
	system.Cells = []string{"h3:8420905ffffffff", "h3:842090dffffffff"}
	ask(kabul, 2, "MISS")
	ask(kabul, 2, "HIT")
	fresh := system.Hotels[0]
	fresh.Property, fresh.Tenant = id.New[id.Property](), id.New[id.Tenant]()
	system.Do(func() { system.Hotels = append(system.Hotels, fresh) })
	event := map[string]any{"tenantId": fresh.Tenant, "propertyId": fresh.Property, "indexedAt": system.Env.Now(), "geoCell": "geohash:tw1hm"}
	system.DB.Advance(time.Second)
	system.Deliver(listingindexed.Function, fresh.Tenant, event, system.Env.Now()) // another grid names no area
	ask(kabul, 2, "HIT")
	event["geoCell"] = "h3:8a20905b4a9ffff"
	for _, occurred := range []time.Duration{0, 0, -20 * time.Minute} {
		system.DB.Advance(5 * time.Second)
		system.Deliver(listingindexed.Function, fresh.Tenant, event, system.Env.Now().Add(occurred))
		ask(kabul, 3, "MISS")
		ask(kabul, 3, "HIT")
	}
	ask(elsewhere, 0, "HIT")
}

func TestSearchMap_degraded(t *testing.T) {
	t.Parallel()
	system := consumertest.OpenSystem(t, 2, Function)
	v := system.Traveller()
	system.SetBehavior("brands", upstreamtest.Failing)
	got, a := post(t, v, system.SearchBodyIn(kabul))
	if !slices.Equal(got.Degraded, []string{"theme"}) {
		t.Errorf("got.Degraded = %q, want %q", got.Degraded, []string{"theme"})
	}
	if len(got.Pins) != 2 {
		t.Errorf("len(got.Pins) = %d, want 2", len(got.Pins))
	}
	if strings.Count(string(a.Body), `"brandColor":"#5b6470"`) != 2 {
		t.Errorf("string(a.Body) = %q, want the neutral colour twice", string(a.Body))
	}
	system.SetBehavior("pins", upstreamtest.Failing)
	if a := v.Must(503, "POST", "/search/map", system.SearchBodyIn(`{"mode":"bounding-box","boundingBox":{"swLat":1,"swLng":1,"neLat":2,"neLng":2}}`)); a.Code() != "BFF.UPSTREAM_UNAVAILABLE" {
		t.Errorf("got %s", a.Body)
	}
}

func TestSearchMap_invalid(t *testing.T) {
	t.Parallel()
	system := consumertest.OpenSystem(t, 1, Function)
	v := system.Traveller()
	many := `,"spotlight":["` + strings.Repeat(system.Hotels[0].Property.String()+`","`, 20) + system.Hotels[0].Property.String() + `"]`
	for _, body := range []string{
		system.SearchBody(), system.SearchBodyIn(kabul, many), system.SearchBodyIn(kabul, `,"spotlight":["somewhere"]`),
		system.SearchBodyIn(strings.Replace(kabul, `"neLat":35`, `"neLat":33`, 1)), system.SearchBodyIn(kabul, `,"page":{"limit":1}`),
	} {
		t.Run(body, func(t *testing.T) {
			a := v.Send("POST", "/search/map", body)
			if a.Status != 400 {
				t.Errorf("%s: status = %d, want 400: %s", body, a.Status, a.Body)
			}
			if len(a.Problem().Violations) == 0 {
				t.Errorf("%s: len(a.Problem().Violations) = %d, want another value", body, len(a.Problem().Violations))
			}
		})
	}
}

// Also in a process that has nothing in memory, one warm map reads few documents, however many pins it shows.
func TestReads_warmMap(t *testing.T) {
	t.Parallel()
	system, reads := consumertest.OpenCountingReads(t, 400, Function)
	v, body := system.Traveller(), system.SearchBodyIn(kabul)
	post(t, v, body)
	for _, process := range []string{"same", "new"} {
		t.Run(process, func(t *testing.T) {
			if process == "new" {
				system.Memory.Empty()
			}
			reads.Since()
			_, a := post(t, v, body)
			read := reads.Since()
			if len(read) > 20 {
				t.Errorf("%s process: len(read) = %d, want at most 20", process, len(read))
			}
			if a.Header.Get("X-Cache") != "HIT" {
				t.Errorf(`%s process: a.Header.Get("X-Cache") = %q, want "HIT"`, process, a.Header.Get("X-Cache"))
			}
		})
	}
}
