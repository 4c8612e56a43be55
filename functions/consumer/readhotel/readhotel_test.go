package readhotel

import (
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"melmastoon.ghasi.io/functions/consumer"
	"melmastoon.ghasi.io/functions/consumer/consumertest"
	"melmastoon.ghasi.io/functions/consumer/internal/search"
	"melmastoon.ghasi.io/functions/consumer/internal/search/searchtest"
	"melmastoon.ghasi.io/functions/consumer/internal/session"
	"melmastoon.ghasi.io/functions/consumer/listingindexed"
	"melmastoon.ghasi.io/functions/consumer/readsession"
	"melmastoon.ghasi.io/functions/consumer/tenantreinstated"
	"melmastoon.ghasi.io/functions/consumer/tenantsuspended"
	"melmastoon.ghasi.io/functions/consumer/themepublished"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/locale"
	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/testkit/check"
	"melmastoon.ghasi.io/shared/testkit/fntest"
	"melmastoon.ghasi.io/shared/testkit/upstreamtest"
)

func get(t *testing.T, v *consumertest.Traveller, h searchtest.Hotel, query ...string) (got search.HotelDetail, a fntest.Answer) {
	t.Helper()
	a = v.Must(200, "GET", "/hotels/"+h.Property.String()+strings.Join(query, ""), nil)
	a.Into(t, &got)
	return got, a
}

func TestReadHotel_complete(t *testing.T) {
	t.Parallel()
	system := consumertest.OpenSystem(t, 7, Function, readsession.Function)
	hotel, v := system.Hotels[2], system.Traveller("Accept-Language", "ps", "X-Currency", "USD")
	checkIn, checkOut := system.Dates(3, 2)
	query := "?checkIn=" + checkIn + "&checkOut=" + checkOut + "&adults=3&rooms=1"
	v.Must(200, "GET", "/session", nil)
	got, a := get(t, v, hotel, query)
	check.MustEqual(t, got.Missing, nil)
	check.MustEqual(t, got.Stale, false)
	p := got.Property
	check.Equal(t, p.Property, hotel.Property)
	check.Equal(t, p.Tenant, hotel.Tenant)
	check.Equal(t, p.Name.Display, "هوټل 2")
	check.Equal(t, p.City, "Kabul")
	check.Equal(t, p.Geo, hotel.Geo)
	check.Equal(t, p.Stars, 4)
	check.Equal(t, p.Rating.Value, 4.5)
	check.Equal(t, p.Type, "hotel")
	if want := (search.BookingSite{Locales: []locale.Tag{locale.Dari}, Currencies: []money.Currency{hotel.Currency, money.USD}}); got.Site == nil || !cmp.Equal(*got.Site, want) {
		t.Errorf("got.Site = %+v, want %+v", got.Site, want)
	}
	check.Equal(t, p.TimeZone, "Asia/Kabul")
	check.MustEqual(t, len(got.Rooms), 1)
	check.Equal(t, got.Rooms[0].Name, "ډیلکس")
	check.Equal(t, got.Rooms[0].Photos[0].Alt, "کور")
	check.MustEqual(t, len(got.Amenities), 6)
	check.Equal(t, got.Amenities[5], search.Amenity{Code: "garden", Label: "باغ"})
	check.Equal(t, got.Photos[0].Hero, true)
	check.Equal(t, got.Policies, search.PolicyTexts{Cancellation: "وړیا", CheckIn: "14:00", CheckOut: "11:00"})
	check.Equal(t, got.Brand.Color, "#1a2b3c")
	r := got.Rate
	check.Equal(t, r.Nightly, 5000)
	check.Equal(t, r.Total, 10_000)
	check.Equal(t, r.Exponent, 2)
	check.Equal(t, r.FX, searchtest.FX)
	check.Equal(t, r.Policy, search.VisitorCurrency)
	if want := (search.PopularitySignals{Booked: 4, Viewed: 9}); got.Popularity == nil || *got.Popularity != want {
		t.Errorf("got.Popularity = %+v, want %+v", got.Popularity, want)
	}
	check.MustEqual(t, len(got.Calendar), 7)
	check.Equal(t, got.Calendar[0].Date.String(), checkIn)
	check.Equal(t, got.Calendar[0].Cheapest, 5000)
	check.Equal(t, got.Calendar[0].Currency, money.USD)
	check.Equal(t, got.Calendar[0].Exponent, 2)
	check.Equal(t, len(got.Similar), 4)
	for i, c := range got.Similar {
		check.NotEqual(t, c.Property, hotel.Property, "the hotel resembles itself")
		check.NotEqual(t, c.Rate, nil, "card %d", i)
		check.Equal(t, c.Brand.Color, "#1a2b3c", "card %d", i)
	}
	check.Equal(t, got.Handoff, search.HandoffHint{URL: (consumer.Base + "/handoff/" + hotel.Tenant.String() + "/" + hotel.Property.String()), TTL: 1800})
	check.Equal(t, got.Dates.CheckOut.String(), checkOut)
	check.Equal(t, got.Occupancy.Adults, 3)
	check.Equal(t, a.Header.Get("X-Cache"), "MISS")
	again, b := get(t, v, hotel, query)
	check.Equal(t, b.Header.Get("X-Cache"), "HIT", "again")
	check.Equal(t, b.Header.Get("Etag"), a.Header.Get("Etag"), "again")
	check.Equal(t, again.Property.Property, hotel.Property)
	check.Equal(t, len(v.Must(http.StatusNotModified, "GET", "/hotels/"+hotel.Property.String()+query, nil, "If-None-Match", a.Header.Get("Etag")).Body), 0)
	want := map[string]int{"properties": 1, "policies": 1, "previews": 2, "calendar": 1, "similar": 1, "popularity": 1, "tenants": 1, "brands": 2}
	check.Equal(t, system.AllCalls(), want, "calls of other services")
	etags := map[string]string{a.Header.Get("Etag"): "the first"}
	for name, other := range map[string]fntest.Answer{
		"another language":  v.Must(200, "GET", "/hotels/"+hotel.Property.String()+query+"&x=1", nil, "X-Currency", "AFN"),
		"another occupancy": v.Must(200, "GET", "/hotels/"+hotel.Property.String()+strings.Replace(query, "adults=3", "adults=1", 1), nil),
	} {
		t.Run(name, func(t *testing.T) {
			if same, taken := etags[other.Header.Get("Etag")]; taken {
				t.Errorf("is taken for %s", same)
			}
		})
	}
}

func TestReadHotel_defaultStay(t *testing.T) {
	t.Parallel()
	system := consumertest.OpenSystem(t, 1, Function)
	v := system.Traveller()
	tomorrow, after := system.Dates(1, 1)
	got, _ := get(t, v, system.Hotels[0])
	check.Equal(t, got.Dates.CheckIn.String(), tomorrow)
	check.Equal(t, got.Dates.CheckOut.String(), after)
	check.Equal(t, got.Occupancy.Adults, 2)
	check.Equal(t, got.Occupancy.Rooms, 1)
	check.Equal(t, len(got.Similar), 0, "hotels like the only one of its city")
}

func TestReadHotel_recentlyViewed(t *testing.T) {
	t.Parallel()
	system := consumertest.OpenSystem(t, 2, Function)
	v := system.Traveller()
	get(t, v, system.Hotels[0], "?source=search-map")
	get(t, v, system.Hotels[1])
	etag := v.Must(200, "GET", "/hotels/"+system.Hotels[0].Property.String(), nil).Header.Get("Etag")
	v.Must(304, "GET", "/hotels/"+system.Hotels[0].Property.String()+"?source=wishlist", nil, "If-None-Match", etag)
	seen := v.StoredSession().RecentlyViewed
	check.MustEqual(t, len(seen), 2)
	check.Equal(t, seen[0].Property, system.Hotels[0].Property)
	check.Equal(t, seen[0].Source, session.FromWishlist)
	check.Equal(t, seen[0].Tenant, system.Hotels[0].Tenant)
	check.Equal(t, seen[1].Source, session.FromLink)
	ahead := system.Traveller()
	ahead.Must(200, "GET", "/hotels/"+system.Hotels[0].Property.String(), nil, "Sec-Purpose", "prefetch")
	if !ahead.Session.IsZero() && len(ahead.StoredSession().RecentlyViewed) != 0 {
		t.Error("a page that was loaded ahead counts as looked at")
	}
}

func TestReadHotel_unknown(t *testing.T) {
	t.Parallel()
	system := consumertest.OpenSystem(t, 1, Function)
	v := system.Traveller()
	for _, path := range []string{id.New[id.Property]().String(), "somewhere", system.Hotels[0].Tenant.String()} {
		t.Run(path, func(t *testing.T) {
			a := v.Send("GET", "/hotels/"+path, nil)
			a.WantProblem(t, 404, "GENERAL.RESOURCE_NOT_FOUND")
		})
	}
	for _, query := range []string{"?checkIn=2020-01-01", "?adults=0", "?rooms=3", "?source=elsewhere", "?checkIn=x", "?children=-1"} {
		t.Run(query, func(t *testing.T) {
			a := v.Send("GET", "/hotels/"+system.Hotels[0].Property.String()+query, nil)
			a.Want(t, 400)
			check.Equal(t, len(a.Problem().Violations), 1)
		})
	}
}

func TestReadHotel_suspended(t *testing.T) {
	t.Parallel()
	system := consumertest.OpenSystem(t, 3, Function, tenantsuspended.Function, tenantreinstated.Function)
	v, hotel, now := system.Traveller(), system.Hotels[0], system.Env.Now()
	path := "/hotels/" + hotel.Property.String()
	v.Must(200, "GET", path, nil) // so that it is remembered
	missing := v.Must(404, "GET", "/hotels/"+id.New[id.Property]().String(), nil)
	system.Deliver(tenantsuspended.Function, hotel.Tenant, map[string]any{"tenantId": hotel.Tenant, "reason": "unpaid", "suspendedAt": now}, now)
	system.SetBehavior("tenants", upstreamtest.Failing)
	check.Equal(t, v.Must(404, "GET", path, nil).Code(), missing.Code())
	system.SetBehavior("tenants", upstreamtest.Working) // its answer is still active
	v.Must(404, "GET", path, nil)
	if other, a := get(t, v, system.Hotels[1]); slices.ContainsFunc(other.Similar, func(c search.ListingCard) bool { return c.Tenant == hotel.Tenant }) {
		t.Errorf("beside another one it is shown: %s", a.Body)
	}
	system.Deliver(tenantreinstated.Function, hotel.Tenant, map[string]any{"tenantId": hotel.Tenant, "reinstatedAt": now}, now.Add(-time.Minute))
	v.Must(404, "GET", path, nil)
	system.Deliver(tenantreinstated.Function, hotel.Tenant, map[string]any{"tenantId": hotel.Tenant, "reinstatedAt": now}, now.Add(time.Minute))
	v.Must(200, "GET", path, nil)
}

func TestReadHotel_degraded(t *testing.T) {
	t.Parallel()
	system := consumertest.OpenSystem(t, 2, Function)
	v, route := system.Traveller(), []string{"previews", "calendar", "policies", "similar", "popularity", "brands", "tenants"}
	for _, route := range route {
		system.SetBehavior(route, upstreamtest.Failing)
	}
	got, a := get(t, v, system.Hotels[0])
	check.Equal(t, got.Missing, []string{"policies", "theme", "pricing", "calendar", "search", "popularity"})
	check.Equal(t, len(got.Rooms), 1)
	check.Equal(t, got.Brand.Color, "#5b6470")
	check.Equal(t, got.Brand.Name.Display, got.Property.Name.Display)
	a.WantText(t, `"cheapestRateSnapshot":null`)
	system.SetBehavior("properties", upstreamtest.Failing)
	v.Must(503, "GET", "/hotels/"+system.Hotels[1].Property.String(), nil)
}

// Similar hotels have parts of their own, which are named if they are missing.
func TestReadHotel_similarDegraded(t *testing.T) {
	t.Parallel()
	for route, missing := range map[string]string{"previews": "pricing", "brands": "theme"} {
		t.Run(route, func(t *testing.T) {
			t.Parallel()
			system := consumertest.OpenSystem(t, 4, Function)
			v := system.Traveller()
			system.SetBehavior("similar", upstreamtest.Failing)
			get(t, v, system.Hotels[0]) // its own price and brand are cached
			system.SetBehavior("similar", upstreamtest.Working)
			system.SetBehavior(route, upstreamtest.Failing)
			system.DB.Advance(5 * time.Second) // for the circuit breaker
			got, _ := get(t, v, system.Hotels[0])
			check.Equal(t, got.Missing, []string{missing})
			if len(got.Similar) != 3 || got.Rate == nil {
				t.Errorf("similar hotels = %d, own price = %v, want 3 hotels and the price", len(got.Similar), got.Rate)
			}
		})
	}
}

func TestReadHotel_popularity(t *testing.T) {
	t.Parallel()
	system := consumertest.OpenSystem(t, 1, Function)
	v, hotel := system.Traveller(), &system.Hotels[0]
	for _, test := range []struct {
		name           string
		booked, viewed int
		want           string
	}{
		{name: "booked and viewed", booked: 3, viewed: 3, want: `"popularitySignals":{"bookedLast24h":3,"viewedLast1h":3}`},
		{name: "viewed", booked: 2, viewed: 12, want: `"popularitySignals":{"viewedLast1h":12}`},
		{name: "booked", booked: 7, viewed: 0, want: `"popularitySignals":{"bookedLast24h":7}`},
		{name: "too few", booked: 2, viewed: 2, want: ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			system.Do(func() { hotel.Booked, hotel.Viewed = test.booked, test.viewed })
			system.DB.Advance(time.Minute)
			got, a := get(t, v, *hotel)
			if test.want == "" && got.Popularity != nil {
				t.Errorf("got.Popularity = %+v, want nil", got.Popularity)
			}
			a.WantText(t, test.want)
		})
	}
	before := system.Calls("popularity")
	system.DB.Advance(59 * time.Second)
	get(t, v, *hotel)
	check.Equal(t, system.Calls("popularity"), before, "within a minute: calls")
	system.DB.Advance(2 * time.Second)
	system.SetBehavior("popularity", upstreamtest.Failing)
	if got, _ := get(t, v, *hotel); !slices.Equal(got.Missing, []string{"popularity"}) || got.Popularity != nil {
		t.Errorf("after a minute without the service: missing %q with %+v, want popularity with none", got.Missing, got.Popularity)
	}
}

func TestReadHotel_similar(t *testing.T) {
	t.Parallel()
	system := consumertest.OpenSystem(t, 5, Function)
	v, hotel := system.Traveller(), system.Hotels[2]
	system.Hotels[4].Country = "US" // another Kabul
	got, _ := get(t, v, hotel)
	check.Equal(t, len(got.Similar), 3)
	system.Do(func() { system.Hotels[4].Country = "AF" })
	system.DB.Advance(time.Minute)
	got, _ = get(t, v, hotel)
	check.Equal(t, len(got.Similar), 4, "of five hotels")
	for _, card := range got.Similar {
		check.NotEqual(t, card.Property, hotel.Property, "the hotel resembles itself")
	}
}

func TestReadHotel_noExchangeRate(t *testing.T) {
	t.Parallel()
	system := consumertest.OpenSystem(t, 2, Function)
	v := system.Traveller("X-Currency", "USD")
	for i := range system.Hotels {
		system.Hotels[i].OwnMoney = true
	}
	got, _ := get(t, v, system.Hotels[0])
	for name, rate := range map[string]*search.RateSnapshot{"hotel": got.Rate, "similar": got.Similar[0].Rate} {
		t.Run(name, func(t *testing.T) {
			check.MustNotEqual(t, rate, nil)
			check.Equal(t, rate.Currency, money.AFN)
			check.Equal(t, rate.Nightly, 400_000)
			if rate.Policy != search.FallbackCurrency || !rate.FX.IsZero() {
				t.Errorf("%s: rate = %+v, want the policy fallback and no exchange rate", name, rate)
			}
		})
	}
	check.Equal(t, got.Calendar[0].Currency, money.AFN)
	check.Equal(t, got.Calendar[0].Cheapest, 400_000)
	check.Equal(t, got.Currency, money.USD)
}

func TestReadHotel_stale(t *testing.T) {
	t.Parallel()
	system := consumertest.OpenSystem(t, 2, Function)
	v := system.Traveller()
	checkIn, checkOut := system.Dates(3, 2)
	query := "?checkIn=" + checkIn + "&checkOut=" + checkOut
	get(t, v, system.Hotels[0], query)
	for _, route := range []string{"properties", "previews", "calendar", "policies", "similar", "brands", "tenants"} {
		system.SetBehavior(route, upstreamtest.Failing)
	}
	system.DB.Advance(6 * time.Minute)
	got, a := get(t, v, system.Hotels[0], query)
	check.Equal(t, got.Stale, true)
	check.Equal(t, got.Missing, nil)
	check.Equal(t, a.Header.Get("X-Cache"), "STALE")
	check.Equal(t, got.Rate.Stale, true)
	check.Equal(t, got.Brand.Color, "#1a2b3c")
	check.Equal(t, len(got.Similar), 1)
}

func TestReadHotel_afterEvents(t *testing.T) {
	t.Parallel()
	system := consumertest.OpenSystem(t, 2, Function, listingindexed.Function, themepublished.Function)
	v, hotel, now := system.Traveller(), system.Hotels[0], system.Env.Now()
	_, before := get(t, v, hotel)
	system.Do(func() { system.Hotels[0].Name.Default, system.Hotels[0].Color = "Renamed", "#00ff00" })
	other := system.Hotels[1]
	system.Deliver(listingindexed.Function, other.Tenant, map[string]any{"tenantId": other.Tenant, "propertyId": other.Property, "indexedAt": now, "geoCell": "h3:8a"}, now)
	if got, _ := get(t, v, hotel); got.Property.Name.Default != "Hotel 0" {
		t.Error("after another's news it was asked for anew")
	}
	system.Deliver(listingindexed.Function, hotel.Tenant, map[string]any{"tenantId": hotel.Tenant, "propertyId": hotel.Property, "indexedAt": now, "geoCell": "h3:8a"}, now)
	got, after := get(t, v, hotel)
	check.Equal(t, got.Property.Name.Default, "Renamed", "after it was indexed")
	check.Equal(t, got.Brand.Color, "#1a2b3c", "after it was indexed")
	check.NotEqual(t, after.Header.Get("Etag"), before.Header.Get("Etag"), "after it was indexed")
	system.Deliver(themepublished.Function, hotel.Tenant, map[string]any{"tenantId": hotel.Tenant, "themeId": "thm_01J8KABG00000000000000000A",
		"publishedVersion": "thv_01J8KABG00000000000000000A", "publishedAt": now}, now)
	if got, _ := get(t, v, hotel); got.Brand.Color != "#00ff00" {
		t.Errorf("after its theme was published: %+v", got.Brand)
	}
}

func TestHotel_unknown(t *testing.T) {
	t.Parallel()
	system := consumertest.OpenSystem(t, 1, Function)
	v := system.Traveller()
	unknown := "/hotels/" + id.New[id.Property]().String()
	var all sync.WaitGroup
	for range 5 {
		tab := *v
		all.Go(func() { tab.Must(404, "GET", unknown, nil) })
	}
	all.Wait()
	prices := system.Calls("previews") + system.Calls("calendar")
	v.Must(404, "GET", unknown, nil)
	check.Equal(t, system.Calls("properties"), 1, "six requests for an unknown hotel: calls of the property service")
	check.Equal(t, system.Calls("previews")+system.Calls("calendar"), prices, "the prices of a hotel known to be absent were asked for")
	get(t, v, system.Hotels[0])
	system.DB.Advance(31 * time.Second)
	v.Must(404, "GET", unknown, nil)
	check.Equal(t, system.Calls("properties"), 3, "after 30 s: calls of the property service")
}
