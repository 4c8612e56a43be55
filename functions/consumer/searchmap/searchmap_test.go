package searchmap

import (
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
	"melmastoon.ghasi.io/shared/testkit/check"
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
	check.MustEqual(t, len(got.Pins), 30)
	check.MustEqual(t, got.Total, 30)
	check.MustEqual(t, got.Clustered, false)
	check.MustEqual(t, got.Truncated, false)
	check.MustEqual(t, got.Stale, false)
	check.MustEqual(t, got.Degraded, nil)
	check.MustEqual(t, priced(got.Pins), 20)
	first := got.Pins[0]
	check.Equal(t, first.Property, system.Hotels[0].Property)
	check.Equal(t, first.Geo, system.Hotels[0].Geo)
	check.Equal(t, first.Color, "#1a2b3c")
	check.Equal(t, first.Count, 1)
	check.Equal(t, *first.Nightly, 5000)
	check.Equal(t, *first.Currency, money.USD)
	check.Equal(t, *first.Exponent, 2)
	check.Equal(t, strings.Count(string(a.Body), `"currency"`), 20, "an amount without its currency, or a currency without an amount: %s", a.Body)
	highlighted, a := post(t, v, system.SearchBodyIn(kabul, `,"spotlight":["`+system.Hotels[25].Property.String()+`"]`))
	check.Equal(t, priced(highlighted.Pins), 1, "in the spotlight")
	check.NotEqual(t, highlighted.Pins[25].Nightly, nil, "in the spotlight")
	check.Equal(t, highlighted.Search, got.Search, "in the spotlight")
	check.Equal(t, a.Header.Get("X-Cache"), "MISS", "in the spotlight")
	_, a = post(t, v, system.SearchBodyIn(kabul))
	check.Equal(t, a.Header.Get("X-Cache"), "HIT", "again")
	check.Equal(t, system.AllCalls(), map[string]int{"pins": 1, "previews": 2, "brands": 1}, "calls of other services")
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
	check.Equal(t, published.Keys, []string{"wifi", "hostel", "property-type", "guest-rating"})
	check.Equal(t, published.Geo.City, "Kabul")
	check.Equal(t, published.Geo.Country, "AF")
	check.Equal(t, published.Kind, "map")
	check.Equal(t, published.Geo.Mode, "bounding-box")
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
	check.Equal(t, got.Clustered, true)
	check.Equal(t, got.Truncated, false)
	if len(got.Pins) > 200 {
		t.Errorf("len(got.Pins) = %d, want at most 200", len(got.Pins))
	}
	check.Equal(t, hotels(got.Pins), 520, "the counts add up to")
	check.Equal(t, got.Total, 520)
	check.Equal(t, priced(got.Pins[:20]), 20, "prices of the first 20 clusters")
	check.Equal(t, priced(got.Pins), 20, "pins with a price")
}

func TestSearchMap_incompleteCounts(t *testing.T) {
	t.Parallel()
	system := consumertest.OpenSystem(t, 520, Function)
	system.Hidden = 7
	got, _ := post(t, system.Traveller(), system.SearchBodyIn(kabul))
	check.Equal(t, got.Truncated, true)
	check.Equal(t, got.Total, 527)
}

func TestSearchMap_brandCalls(t *testing.T) {
	t.Parallel()
	system := consumertest.OpenSystem(t, 200, Function)
	got, _ := post(t, system.Traveller(), system.SearchBodyIn(kabul))
	check.Equal(t, len(got.Pins), 200)
	check.Equal(t, got.Clustered, false)
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
	check.Equal(t, len(got.Pins), 2)
	check.Equal(t, got.Total, 2)
	check.Equal(t, got.Truncated, false)
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
				check.Equal(t, got.Pins[0].Property, want)
				check.Equal(t, got.Pins[0].Nightly != nil, working, "the first pin has a price")
				check.NotEqual(t, got.Stale, working)
				check.Equal(t, got.Total, total)
				check.Equal(t, hotels(got.Pins), total)
				check.Equal(t, priced(got.Pins), 20)
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
		check.Equal(t, len(got.Pins), pins)
		check.Equal(t, a.Header.Get("X-Cache"), state)
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
	check.Equal(t, got.Degraded, []string{"theme"})
	check.Equal(t, len(got.Pins), 2)
	check.Equal(t, strings.Count(string(a.Body), `"brandColor":"#5b6470"`), 2, "string(a.Body) = %q", string(a.Body))
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
			a.Want(t, 400)
			check.NotEqual(t, len(a.Problem().Violations), 0)
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
			check.Equal(t, a.Header.Get("X-Cache"), "HIT", "process")
		})
	}
}
