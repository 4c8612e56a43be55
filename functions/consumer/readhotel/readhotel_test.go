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
	if got.Missing != nil {
		t.Fatalf("got.Missing = %q, want nil", got.Missing)
	}
	if got.Stale {
		t.Fatal("got.Stale = true, want false")
	}
	p := got.Property
	if p.Property != hotel.Property {
		t.Errorf("p.Property = %v, want %v", p.Property, hotel.Property)
	}
	if p.Tenant != hotel.Tenant {
		t.Errorf("p.Tenant = %v, want %v", p.Tenant, hotel.Tenant)
	}
	if p.Name.Display != "هوټل 2" {
		t.Errorf(`p.Name.Display = %q, want "هوټل 2"`, p.Name.Display)
	}
	if p.City != "Kabul" {
		t.Errorf(`p.City = %q, want "Kabul"`, p.City)
	}
	if p.Geo != hotel.Geo {
		t.Errorf("p.Geo = %+v, want %+v", p.Geo, hotel.Geo)
	}
	if p.Stars != 4 {
		t.Errorf("p.Stars = %d, want 4", p.Stars)
	}
	if p.Rating.Value != 4.5 {
		t.Errorf("p.Rating.Value = %v, want 4.5", p.Rating.Value)
	}
	if p.Type != "hotel" {
		t.Errorf(`p.Type = %q, want "hotel"`, p.Type)
	}
	if want := (search.BookingSite{Locales: []locale.Tag{locale.Dari}, Currencies: []money.Currency{hotel.Currency, money.USD}}); got.Site == nil || !cmp.Equal(*got.Site, want) {
		t.Errorf("got.Site = %+v, want %+v", got.Site, want)
	}
	if p.TimeZone != "Asia/Kabul" {
		t.Errorf(`p.TimeZone = %q, want "Asia/Kabul"`, p.TimeZone)
	}
	if len(got.Rooms) != 1 {
		t.Fatalf("len(got.Rooms) = %d, want 1", len(got.Rooms))
	}
	if got.Rooms[0].Name != "ډیلکس" {
		t.Errorf(`got.Rooms[0].Name = %q, want "ډیلکس"`, got.Rooms[0].Name)
	}
	if got.Rooms[0].Photos[0].Alt != "کور" {
		t.Errorf(`got.Rooms[0].Photos[0].Alt = %q, want "کور"`, got.Rooms[0].Photos[0].Alt)
	}
	if len(got.Amenities) != 6 {
		t.Fatalf("len(got.Amenities) = %d, want 6", len(got.Amenities))
	}
	if want := (search.Amenity{Code: "garden", Label: "باغ"}); got.Amenities[5] != want {
		t.Errorf("got.Amenities[5] = %+v, want %+v", got.Amenities[5], want)
	}
	if !got.Photos[0].Hero {
		t.Error("got.Photos[0].Hero = false, want true")
	}
	if got.Policies != (search.PolicyTexts{Cancellation: "وړیا", CheckIn: "14:00", CheckOut: "11:00"}) {
		t.Errorf("got.Policies = %+v, want %+v", got.Policies, (search.PolicyTexts{Cancellation: "وړیا", CheckIn: "14:00", CheckOut: "11:00"}))
	}
	if got.Brand.Color != "#1a2b3c" {
		t.Errorf(`got.Brand.Color = %q, want "#1a2b3c"`, got.Brand.Color)
	}
	r := got.Rate
	if r.Nightly != 5000 {
		t.Errorf("r.Nightly = %d, want 5000", r.Nightly)
	}
	if r.Total != 10_000 {
		t.Errorf("r.Total = %d, want 10_000", r.Total)
	}
	if r.Exponent != 2 {
		t.Errorf("r.Exponent = %d, want 2", r.Exponent)
	}
	if r.FX != searchtest.FX {
		t.Errorf("r.FX = %v, want %v", r.FX, searchtest.FX)
	}
	if r.Policy != search.VisitorCurrency {
		t.Errorf("r.Policy = %q, want %q", r.Policy, search.VisitorCurrency)
	}
	if want := (search.PopularitySignals{Booked: 4, Viewed: 9}); got.Popularity == nil || *got.Popularity != want {
		t.Errorf("got.Popularity = %+v, want %+v", got.Popularity, want)
	}
	if len(got.Calendar) != 7 {
		t.Fatalf("len(got.Calendar) = %d, want 7", len(got.Calendar))
	}
	if got.Calendar[0].Date.String() != checkIn {
		t.Errorf("got.Calendar[0].Date.String() = %q, want %q", got.Calendar[0].Date.String(), checkIn)
	}
	if got.Calendar[0].Cheapest != 5000 {
		t.Errorf("got.Calendar[0].Cheapest = %d, want 5000", got.Calendar[0].Cheapest)
	}
	if got.Calendar[0].Currency != money.USD {
		t.Errorf("got.Calendar[0].Currency = %q, want %q", got.Calendar[0].Currency, money.USD)
	}
	if got.Calendar[0].Exponent != 2 {
		t.Errorf("got.Calendar[0].Exponent = %d, want 2", got.Calendar[0].Exponent)
	}
	if len(got.Similar) != 4 {
		t.Errorf("len(got.Similar) = %d, want 4", len(got.Similar))
	}
	for i, c := range got.Similar {
		if c.Property == hotel.Property {
			t.Errorf("got.Similar[%d] is the hotel itself", i)
		}
		if c.Rate == nil {
			t.Errorf("got.Similar[%d].Rate = nil, want a value", i)
		}
		if c.Brand.Color != "#1a2b3c" {
			t.Errorf(`got.Similar[%d].Brand.Color = %q, want "#1a2b3c"`, i, c.Brand.Color)
		}
	}
	if want := consumer.Base + "/handoff/" + hotel.Tenant.String() + "/" + hotel.Property.String(); got.Handoff != (search.HandoffHint{URL: want, TTL: 1800}) {
		t.Errorf("got %+v", got.Handoff)
	}
	if got.Dates.CheckOut.String() != checkOut {
		t.Errorf("got.Dates.CheckOut.String() = %q, want %q", got.Dates.CheckOut.String(), checkOut)
	}
	if got.Occupancy.Adults != 3 {
		t.Errorf("got.Occupancy.Adults = %d, want 3", got.Occupancy.Adults)
	}
	if a.Header.Get("X-Cache") != "MISS" {
		t.Errorf(`a.Header.Get("X-Cache") = %q, want "MISS"`, a.Header.Get("X-Cache"))
	}
	again, b := get(t, v, hotel, query)
	if b.Header.Get("X-Cache") != "HIT" {
		t.Errorf(`again: b.Header.Get("X-Cache") = %q, want "HIT"`, b.Header.Get("X-Cache"))
	}
	if b.Header.Get("Etag") != a.Header.Get("Etag") {
		t.Errorf(`again: b.Header.Get("Etag") = %q, want %q`, b.Header.Get("Etag"), a.Header.Get("Etag"))
	}
	if again.Property.Property != hotel.Property {
		t.Errorf("again: again.Property.Property = %v, want %v", again.Property.Property, hotel.Property)
	}
	if known := v.Must(http.StatusNotModified, "GET", "/hotels/"+hotel.Property.String()+query, nil, "If-None-Match", a.Header.Get("Etag")); len(known.Body) != 0 {
		t.Errorf("got %s", known.Body)
	}
	want := map[string]int{"properties": 1, "policies": 1, "previews": 2, "calendar": 1, "similar": 1, "popularity": 1, "tenants": 1, "brands": 2}
	if diff := cmp.Diff(want, system.AllCalls()); diff != "" {
		t.Errorf("calls of other services (-want +got):\n%s", diff)
	}
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
	if got.Dates.CheckIn.String() != tomorrow {
		t.Errorf("got.Dates.CheckIn.String() = %q, want %q", got.Dates.CheckIn.String(), tomorrow)
	}
	if got.Dates.CheckOut.String() != after {
		t.Errorf("got.Dates.CheckOut.String() = %q, want %q", got.Dates.CheckOut.String(), after)
	}
	if got.Occupancy.Adults != 2 {
		t.Errorf("got.Occupancy.Adults = %d, want 2", got.Occupancy.Adults)
	}
	if got.Occupancy.Rooms != 1 {
		t.Errorf("got.Occupancy.Rooms = %d, want 1", got.Occupancy.Rooms)
	}
	if len(got.Similar) != 0 {
		t.Errorf("the only hotel of the city resembles %+v", got.Similar)
	}
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
	if len(seen) != 2 {
		t.Fatalf("len(seen) = %d, want 2", len(seen))
	}
	if seen[0].Property != system.Hotels[0].Property {
		t.Errorf("seen[0].Property = %v, want %v", seen[0].Property, system.Hotels[0].Property)
	}
	if seen[0].Source != session.FromWishlist {
		t.Errorf("seen[0].Source = %q, want %q", seen[0].Source, session.FromWishlist)
	}
	if seen[0].Tenant != system.Hotels[0].Tenant {
		t.Errorf("seen[0].Tenant = %v, want %v", seen[0].Tenant, system.Hotels[0].Tenant)
	}
	if seen[1].Source != session.FromLink {
		t.Errorf("seen[1].Source = %q, want %q", seen[1].Source, session.FromLink)
	}
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
			if a.Status != 404 {
				t.Errorf("%s: status = %d, want 404: %s", path, a.Status, a.Body)
			}
			if a.Code() != "GENERAL.RESOURCE_NOT_FOUND" {
				t.Errorf(`%s: code = %q, want "GENERAL.RESOURCE_NOT_FOUND"`, path, a.Code())
			}
		})
	}
	for _, query := range []string{"?checkIn=2020-01-01", "?adults=0", "?rooms=3", "?source=elsewhere", "?checkIn=x", "?children=-1"} {
		t.Run(query, func(t *testing.T) {
			a := v.Send("GET", "/hotels/"+system.Hotels[0].Property.String()+query, nil)
			if a.Status != 400 {
				t.Errorf("%s: status = %d, want 400: %s", query, a.Status, a.Body)
			}
			if len(a.Problem().Violations) != 1 {
				t.Errorf("%s: len(a.Problem().Violations) = %d, want 1", query, len(a.Problem().Violations))
			}
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
	if a := v.Must(404, "GET", path, nil); a.Code() != missing.Code() {
		t.Errorf("got %s, want what %s is", a.Body, missing.Body)
	}
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
	if !slices.Equal(got.Missing, []string{"policies", "theme", "pricing", "calendar", "search", "popularity"}) {
		t.Errorf("got.Missing = %q, want %q", got.Missing, []string{"policies", "theme", "pricing", "calendar", "search", "popularity"})
	}
	if len(got.Rooms) != 1 {
		t.Errorf("len(got.Rooms) = %d, want 1", len(got.Rooms))
	}
	if got.Brand.Color != "#5b6470" || got.Brand.Name.Display != got.Property.Name.Display {
		t.Errorf("got.Brand = %+v, want a neutral one with the hotel's name", got.Brand)
	}
	if !strings.Contains(string(a.Body), `"cheapestRateSnapshot":null`) {
		t.Errorf("string(a.Body) = %q, want it to contain %q", string(a.Body), `"cheapestRateSnapshot":null`)
	}
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
			if !slices.Equal(got.Missing, []string{missing}) {
				t.Errorf("got.Missing = %q, want %q", got.Missing, missing)
			}
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
			if !strings.Contains(string(a.Body), test.want) {
				t.Errorf("body %s, want it to contain %s", a.Body, test.want)
			}
		})
	}
	before := system.Calls("popularity")
	system.DB.Advance(59 * time.Second)
	get(t, v, *hotel)
	if n := system.Calls("popularity"); n != before {
		t.Errorf("within a minute: %d calls, want %d", n, before)
	}
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
	if len(got.Similar) != 3 {
		t.Errorf("len(got.Similar) = %d, want the 3 others of the country", len(got.Similar))
	}
	system.Do(func() { system.Hotels[4].Country = "AF" })
	system.DB.Advance(time.Minute)
	if got, _ = get(t, v, hotel); len(got.Similar) != 4 {
		t.Errorf("of five hotels: len(got.Similar) = %d, want 4", len(got.Similar))
	}
	for _, card := range got.Similar {
		if card.Property == hotel.Property {
			t.Error("the hotel resembles itself")
		}
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
			if rate == nil {
				t.Fatalf("%s: rate = nil, want the price in the hotel's own currency", name)
			}
			if rate.Currency != money.AFN || rate.Nightly != 400_000 {
				t.Errorf("%s: rate = %+v, want 4,000 afghani", name, rate)
			}
			if rate.Policy != search.FallbackCurrency || !rate.FX.IsZero() {
				t.Errorf("%s: rate = %+v, want the policy fallback and no exchange rate", name, rate)
			}
		})
	}
	if got.Calendar[0].Currency != money.AFN || got.Calendar[0].Cheapest != 400_000 {
		t.Errorf("got.Calendar[0] = %+v, want 4,000 afghani", got.Calendar[0])
	}
	if got.Currency != money.USD {
		t.Errorf("got.Currency = %s, want the visitor's", got.Currency)
	}
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
	if !got.Stale {
		t.Error("got.Stale = false, want true")
	}
	if got.Missing != nil {
		t.Errorf("got.Missing = %q, want nil", got.Missing)
	}
	if a.Header.Get("X-Cache") != "STALE" {
		t.Errorf(`a.Header.Get("X-Cache") = %q, want "STALE"`, a.Header.Get("X-Cache"))
	}
	if !got.Rate.Stale {
		t.Error("got.Rate.Stale = false, want true")
	}
	if got.Brand.Color != "#1a2b3c" {
		t.Errorf(`got.Brand.Color = %q, want "#1a2b3c"`, got.Brand.Color)
	}
	if len(got.Similar) != 1 {
		t.Errorf("len(got.Similar) = %d, want 1", len(got.Similar))
	}
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
	if got.Property.Name.Default != "Renamed" {
		t.Errorf(`after it was indexed: got.Property.Name.Default = %q, want "Renamed"`, got.Property.Name.Default)
	}
	if got.Brand.Color != "#1a2b3c" {
		t.Errorf(`after it was indexed: got.Brand.Color = %q, want "#1a2b3c"`, got.Brand.Color)
	}
	if after.Header.Get("Etag") == before.Header.Get("Etag") {
		t.Errorf(`after it was indexed: after.Header.Get("Etag") = %q, want another value`, after.Header.Get("Etag"))
	}
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
	if n := system.Calls("properties"); n != 1 {
		t.Errorf("six requests for an unknown hotel: %d calls of the property service, want 1", n)
	}
	if n := system.Calls("previews") + system.Calls("calendar"); n != prices {
		t.Errorf("the prices of a hotel known to be absent were asked for")
	}
	get(t, v, system.Hotels[0])
	system.DB.Advance(31 * time.Second)
	v.Must(404, "GET", unknown, nil)
	if n := system.Calls("properties"); n != 3 {
		t.Errorf("after 30 s the property service was asked %d times, want 3", n)
	}
}
