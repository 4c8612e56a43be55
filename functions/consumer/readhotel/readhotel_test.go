package readhotel

import (
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"melmastoon.ghasi.io/functions/consumer"
	"melmastoon.ghasi.io/functions/consumer/consumertest"
	"melmastoon.ghasi.io/functions/consumer/internal/search"
	"melmastoon.ghasi.io/functions/consumer/internal/search/searchtest"
	"melmastoon.ghasi.io/functions/consumer/internal/session"
	"melmastoon.ghasi.io/functions/consumer/listingindexed"
	"melmastoon.ghasi.io/functions/consumer/tenantreinstated"
	"melmastoon.ghasi.io/functions/consumer/tenantsuspended"
	"melmastoon.ghasi.io/functions/consumer/themepublished"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/testkit/fntest"
	"melmastoon.ghasi.io/shared/testkit/upstreamtest"
)

func look(t *testing.T, v *consumertest.Traveller, h searchtest.Hotel, query ...string) (got search.HotelDetail, a fntest.Answer) {
	t.Helper()
	a = v.Must(200, "GET", "/hotels/"+h.Property.String()+strings.Join(query, ""), nil)
	a.Into(t, &got)
	return got, a
}

func TestAHotelIsShownWithAllThereIsToKnow(t *testing.T) {
	t.Parallel()
	market := consumertest.OpenSystem(t, 7, Function)
	hotel, v := market.Hotels[2], market.Traveller("Accept-Language", "ps", "X-Currency", "USD")
	checkIn, checkOut := market.Dates(3, 2)
	query := "?checkIn=" + checkIn + "&checkOut=" + checkOut + "&adults=3&rooms=1"
	v.Must(404, "GET", "/hotels/"+id.New[id.Property]().String(), nil) // so that the session is there
	got, a := look(t, v, hotel, query)
	if got.Missing != nil || got.Stale {
		t.Fatalf("got %s", a.Body)
	}
	p := got.Property
	if p.Property != hotel.Property || p.Tenant != hotel.Tenant || p.Name.Display != "هوټل 2" || p.City != "Kabul" || p.Geo != hotel.Geo || p.Stars != 4 ||
		p.Rating.Value != 4.5 || p.Type != "hotel" || p.TimeZone != "Asia/Kabul" {
		t.Errorf("got %+v", p)
	}
	if len(got.Rooms) != 1 || got.Rooms[0].Name != "ډیلکس" || got.Rooms[0].Photos[0].Alt != "کور" || len(got.Amenities) != 6 || !got.Photos[0].Hero {
		t.Errorf("got %+v %+v %+v", got.Rooms, got.Amenities, got.Photos)
	}
	if got.Policies != (search.PolicyTexts{Cancellation: "وړیا", CheckIn: "14:00", CheckOut: "11:00"}) || got.Brand.Color != "#1a2b3c" {
		t.Errorf("got %+v %+v", got.Policies, got.Brand)
	}
	if r := got.Rate; r.Nightly != 5000 || r.Total != 10_000 || r.Exponent != 2 || r.FX != searchtest.FX || r.Policy != search.VisitorCurrency {
		t.Errorf("got %+v", got.Rate)
	}
	if len(got.Calendar) != 7 || got.Calendar[0].Date.String() != checkIn || got.Calendar[0].Cheapest != 5000 || got.Calendar[0].Currency != money.USD || got.Calendar[0].Exponent != 2 {
		t.Errorf("got %+v", got.Calendar)
	}
	others := slices.ContainsFunc(got.Similar, func(c search.ListingCard) bool {
		return c.Property == hotel.Property || c.Rate == nil || c.Brand == nil
	})
	if len(got.Similar) != 4 || others {
		t.Errorf("got %+v", got.Similar)
	}
	if want := consumer.Base + "/handoff/" + hotel.Tenant.String() + "/" + hotel.Property.String(); got.Handoff != (search.HandoffHint{URL: want, TTL: 1800}) {
		t.Errorf("got %+v", got.Handoff)
	}
	if got.Dates.CheckOut.String() != checkOut || got.Occupancy.Adults != 3 || a.Header.Get("X-Cache") != "MISS" {
		t.Errorf("got %s", a.Body)
	}
	again, b := look(t, v, hotel, query)
	if b.Header.Get("X-Cache") != "HIT" || b.Header.Get("Etag") != a.Header.Get("Etag") || again.Property.Property != hotel.Property {
		t.Errorf("again: %s %s, want %s", b.Header.Get("X-Cache"), b.Header.Get("Etag"), a.Header.Get("Etag"))
	}
	if known := v.Must(http.StatusNotModified, "GET", "/hotels/"+hotel.Property.String()+query, nil, "If-None-Match", a.Header.Get("Etag")); len(known.Body) != 0 {
		t.Errorf("got %s", known.Body)
	}
	for stall, want := range map[string]int{"properties": 2, "policies": 1, "previews": 3, "calendar": 2, "searches": 1, "tenants": 1, "brands": 2} {
		if n := market.Asked(stall); n > want {
			t.Errorf("%s were asked for %d times, want %d", stall, n, want)
		}
	}
	etags := map[string]string{a.Header.Get("Etag"): "the first"}
	for name, other := range map[string]fntest.Answer{
		"in another language": v.Must(200, "GET", "/hotels/"+hotel.Property.String()+query+"&x=1", nil, "X-Currency", "AFN"),
		"for others":          v.Must(200, "GET", "/hotels/"+hotel.Property.String()+strings.Replace(query, "adults=3", "adults=1", 1), nil),
	} {
		if same, taken := etags[other.Header.Get("Etag")]; taken {
			t.Errorf("%s is taken for %s", name, same)
		}
	}
}

func TestWhoNamesNoStaySeesWhatTomorrowCosts(t *testing.T) {
	t.Parallel()
	market := consumertest.OpenSystem(t, 1, Function)
	v := market.Traveller()
	tomorrow, after := market.Dates(1, 1)
	got, _ := look(t, v, market.Hotels[0])
	if got.Dates.CheckIn.String() != tomorrow || got.Dates.CheckOut.String() != after || got.Occupancy.Adults != 2 || got.Occupancy.Rooms != 1 {
		t.Errorf("got %+v %+v", got.Dates, got.Occupancy)
	}
	if len(got.Similar) != 0 {
		t.Errorf("the only hotel of the city resembles %+v", got.Similar)
	}
}

func TestAHotelThatWasLookedAtIsRemembered(t *testing.T) {
	t.Parallel()
	market := consumertest.OpenSystem(t, 2, Function)
	v := market.Traveller()
	look(t, v, market.Hotels[0], "?source=search-map")
	look(t, v, market.Hotels[1])
	etag := v.Must(200, "GET", "/hotels/"+market.Hotels[0].Property.String(), nil).Header.Get("Etag")
	v.Must(304, "GET", "/hotels/"+market.Hotels[0].Property.String()+"?source=wishlist", nil, "If-None-Match", etag)
	seen := v.StoredSession().RecentlyViewed
	if len(seen) != 2 || seen[0].Property != market.Hotels[0].Property || seen[0].Source != session.FromWishlist || seen[0].Tenant != market.Hotels[0].Tenant ||
		seen[1].Source != session.FromLink {
		t.Errorf("remembered %+v", seen)
	}
	ahead := market.Traveller()
	ahead.Must(200, "GET", "/hotels/"+market.Hotels[0].Property.String(), nil, "Sec-Purpose", "prefetch")
	if !ahead.Session.IsZero() && len(ahead.StoredSession().RecentlyViewed) != 0 {
		t.Error("a page that was loaded ahead counts as looked at")
	}
}

func TestAHotelThatIsNoneIsNotFound(t *testing.T) {
	t.Parallel()
	market := consumertest.OpenSystem(t, 1, Function)
	v := market.Traveller()
	for _, path := range []string{id.New[id.Property]().String(), "somewhere", market.Hotels[0].Tenant.String()} {
		if a := v.Send("GET", "/hotels/"+path, nil); a.Status != 404 || a.Code() != "GENERAL.RESOURCE_NOT_FOUND" {
			t.Errorf("%s: %d %s", path, a.Status, a.Body)
		}
	}
	for _, query := range []string{"?checkIn=2020-01-01", "?adults=0", "?rooms=3", "?source=elsewhere", "?checkIn=x", "?children=-1"} {
		if a := v.Send("GET", "/hotels/"+market.Hotels[0].Property.String()+query, nil); a.Status != 400 || len(a.Problem().Violations) != 1 {
			t.Errorf("%s: %d %s", query, a.Status, a.Body)
		}
	}
}

func TestASuspendedHotelIsNotFoundFromThatMomentOn(t *testing.T) {
	t.Parallel()
	market := consumertest.OpenSystem(t, 3, Function, tenantsuspended.Function, tenantreinstated.Function)
	v, hotel, now := market.Traveller(), market.Hotels[0], market.Env.Now()
	path := "/hotels/" + hotel.Property.String()
	v.Must(200, "GET", path, nil) // so that it is remembered
	missing := v.Must(404, "GET", "/hotels/"+id.New[id.Property]().String(), nil)
	market.Deliver(tenantsuspended.Function, hotel.Tenant, map[string]any{"tenantId": hotel.Tenant, "reason": "unpaid", "suspendedAt": now}, now)
	market.Mood("tenants", upstreamtest.Failing)
	if a := v.Must(404, "GET", path, nil); a.Code() != missing.Code() {
		t.Errorf("got %s, want what %s is", a.Body, missing.Body)
	}
	market.Mood("tenants", upstreamtest.Well) // which still says that it is open
	v.Must(404, "GET", path, nil)
	if other, a := look(t, v, market.Hotels[1]); slices.ContainsFunc(other.Similar, func(c search.ListingCard) bool { return c.Tenant == hotel.Tenant }) {
		t.Errorf("beside another one it is shown: %s", a.Body)
	}
	market.Deliver(tenantreinstated.Function, hotel.Tenant, map[string]any{"tenantId": hotel.Tenant, "reinstatedAt": now}, now.Add(-time.Minute))
	v.Must(404, "GET", path, nil)
	market.Deliver(tenantreinstated.Function, hotel.Tenant, map[string]any{"tenantId": hotel.Tenant, "reinstatedAt": now}, now.Add(time.Minute))
	v.Must(200, "GET", path, nil)
}

func TestWhatIsMissingIsSaid(t *testing.T) {
	t.Parallel()
	market := consumertest.OpenSystem(t, 2, Function)
	v, stalls := market.Traveller(), []string{"previews", "calendar", "policies", "searches", "brands", "tenants"}
	for _, stall := range stalls {
		market.Mood(stall, upstreamtest.Failing)
	}
	got, a := look(t, v, market.Hotels[0])
	if !slices.Equal(got.Missing, []string{"policies", "theme", "pricing", "calendar", "search"}) || len(got.Rooms) != 1 ||
		!strings.Contains(string(a.Body), `"brandPeek":null,"cheapestRateSnapshot":null`) {
		t.Errorf("got %s", a.Body)
	}
	market.Mood("properties", upstreamtest.Failing)
	v.Must(503, "GET", "/hotels/"+market.Hotels[1].Property.String(), nil)
}

func TestWhatWasShownAMomentAgoIsShownAsStale(t *testing.T) {
	t.Parallel()
	market := consumertest.OpenSystem(t, 2, Function)
	v, checkIn, checkOut := market.Traveller(), "", ""
	checkIn, checkOut = market.Dates(3, 2)
	query := "?checkIn=" + checkIn + "&checkOut=" + checkOut
	look(t, v, market.Hotels[0], query)
	for _, stall := range []string{"properties", "previews", "calendar", "policies", "searches", "brands", "tenants"} {
		market.Mood(stall, upstreamtest.Failing)
	}
	market.DB.Advance(6 * time.Minute)
	got, a := look(t, v, market.Hotels[0], query)
	if !got.Stale || got.Missing != nil || a.Header.Get("X-Cache") != "STALE" || !got.Rate.Stale || got.Brand == nil || len(got.Similar) != 1 {
		t.Errorf("got %s %s", a.Header.Get("X-Cache"), a.Body)
	}
}

func TestNewsOfAHotelAreShownAtOnce(t *testing.T) {
	t.Parallel()
	market := consumertest.OpenSystem(t, 2, Function, listingindexed.Function, themepublished.Function)
	v, hotel, now := market.Traveller(), market.Hotels[0], market.Env.Now()
	_, before := look(t, v, hotel)
	market.Do(func() { market.Hotels[0].Name.Default, market.Hotels[0].Color = "Renamed", "#00ff00" })
	other := market.Hotels[1]
	market.Deliver(listingindexed.Function, other.Tenant, map[string]any{"tenantId": other.Tenant, "propertyId": other.Property, "indexedAt": now, "geoCell": "h3:8a"}, now)
	if got, _ := look(t, v, hotel); got.Property.Name.Default != "Hotel 0" {
		t.Error("after another's news it was asked for anew")
	}
	market.Deliver(listingindexed.Function, hotel.Tenant, map[string]any{"tenantId": hotel.Tenant, "propertyId": hotel.Property, "indexedAt": now, "geoCell": "h3:8a"}, now)
	got, after := look(t, v, hotel)
	if got.Property.Name.Default != "Renamed" || got.Brand.Color != "#1a2b3c" || after.Header.Get("Etag") == before.Header.Get("Etag") {
		t.Errorf("after it was indexed: %s", after.Body)
	}
	market.Deliver(themepublished.Function, hotel.Tenant, map[string]any{"tenantId": hotel.Tenant, "themeId": "thm_01J8KABG00000000000000000A",
		"publishedVersion": "thv_01J8KABG00000000000000000A", "publishedAt": now}, now)
	if got, _ := look(t, v, hotel); got.Brand.Color != "#00ff00" {
		t.Errorf("after its theme was published: %+v", got.Brand)
	}
}

func TestHotel_unknown(t *testing.T) {
	t.Parallel()
	market := consumertest.OpenSystem(t, 1, Function)
	v := market.Traveller()
	unknown := "/hotels/" + id.New[id.Property]().String()
	var all sync.WaitGroup
	for range 5 {
		tab := *v
		all.Go(func() { tab.Must(404, "GET", unknown, nil) })
	}
	all.Wait()
	prices := market.Asked("previews") + market.Asked("calendar")
	v.Must(404, "GET", unknown, nil)
	if n := market.Asked("properties"); n != 1 {
		t.Errorf("six requests for an unknown hotel: %d calls of the property service, want 1", n)
	}
	if n := market.Asked("previews") + market.Asked("calendar"); n != prices {
		t.Errorf("the prices of a hotel known to be absent were asked for")
	}
	look(t, v, market.Hotels[0])
	market.DB.Advance(31 * time.Second)
	v.Must(404, "GET", unknown, nil)
	if n := market.Asked("properties"); n != 3 {
		t.Errorf("after 30 s the property service was asked %d times, want 3", n)
	}
}
