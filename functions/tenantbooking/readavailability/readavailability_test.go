package readavailability

import (
	"slices"
	"strings"
	"testing"
	"time"

	"melmastoon.ghasi.io/functions/tenantbooking/internal/hotel"
	"melmastoon.ghasi.io/functions/tenantbooking/tenantbookingtest"
	"melmastoon.ghasi.io/shared/testkit/fntest"
	"melmastoon.ghasi.io/shared/testkit/upstreamtest"
)

type found struct {
	Currency string           `json:"currency"`
	Stale    bool             `json:"stale"`
	Degraded []string         `json:"degraded"`
	Rooms    []hotel.RoomView `json:"rooms"`
}

func ask(g *tenantbookingtest.Guest, s *tenantbookingtest.FakeHotels, headers ...string) fntest.Answer {
	return g.Send("GET", query(g, s), nil, headers...)
}

func query(g *tenantbookingtest.Guest, s *tenantbookingtest.FakeHotels) string {
	day := g.Env.Now()
	return "/availability?propertyId=" + s.Property.ID.String() + "&checkIn=" + day.Format("2006-01-02") +
		"&checkOut=" + day.AddDate(0, 0, 2).Format("2006-01-02") + "&adults=2&children=1&rooms=1"
}

func TestReadAvailability_rates(t *testing.T) {
	t.Parallel()
	system, hotels := tenantbookingtest.BuildWithHotels(t, Function)
	guest := system.Guest(0)
	var got found
	first := ask(guest, hotels, "Accept-Language", "ps", "X-Currency", "USD")
	first.Into(t, &got)
	if first.Status != 200 || got.Currency != "USD" || got.Stale || got.Degraded != nil || len(got.Rooms) != 1 {
		t.Fatalf("got %d %s", first.Status, first.Body)
	}
	room := got.Rooms[0]
	if room.Name != "ډیلکس" || room.UnitsLeft == nil || *room.UnitsLeft != 3 || len(room.Photos) != 1 || len(room.Rates) != 1 {
		t.Errorf("got %+v", room)
	}
	rate := room.Rates[0]
	if rate.Unavailable || rate.Total == nil || rate.Total.Amount != 20_000 || rate.Total.Exponent != 2 || rate.Nightly.Amount != 10_000 || rate.Policy == nil {
		t.Errorf("got %+v", rate)
	}
	if again := ask(guest, hotels, "Accept-Language", "ps", "X-Currency", "USD"); again.Header.Get("X-Cache") != "HIT" || string(again.Body) != string(first.Body) {
		t.Errorf("again: %s %s", again.Header.Get("X-Cache"), again.Body)
	}
	if other := ask(guest, hotels, "X-Currency", "AFN"); !strings.Contains(string(other.Body), `"currency":"AFN"`) || other.Header.Get("X-Cache") != "MISS" {
		t.Errorf("in another currency: %s %s", other.Header.Get("X-Cache"), other.Body)
	}
}

func TestReadAvailability_slowServices(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, shop string
		mood       upstreamtest.Mood
		status     int
		missing    []string
	}{
		{"prices hang", "pricing", upstreamtest.Hanging, 200, []string{"pricing"}},
		{"prices fail", "pricing", upstreamtest.Failing, 200, []string{"pricing"}},
		{"prices are another's", "pricing", upstreamtest.Garbled, 200, []string{"pricing"}},
		{"prices are no JSON", "pricing", upstreamtest.Garbage, 200, []string{"pricing"}},
		{"prices have 10 MB", "pricing", upstreamtest.Endless, 200, []string{"pricing"}},
		{"inventory hangs", "inventory", upstreamtest.Hanging, 200, []string{"inventory"}},
		{"inventory is no JSON", "inventory", upstreamtest.Garbage, 200, []string{"inventory"}},
		{"the property service hangs", "property", upstreamtest.Hanging, 503, nil},
		{"the property service is no JSON", "property", upstreamtest.Garbage, 503, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			system, hotels := tenantbookingtest.BuildWithHotels(t, Function)
			guest := system.Guest(0)
			hotels.Mood(test.shop, test.mood)
			var a fntest.Answer
			if took, stalled := fntest.Timed(func() { a = ask(guest, hotels) }); took > system.Env.Timeout(Function.Spec.Timeout+50*time.Millisecond) {
				t.Errorf("took %v, not counting %v in which the machine was stalled", took, stalled)
			}
			if a.Status != test.status {
				t.Fatalf("got %d %s", a.Status, a.Body)
			}
			if test.status != 200 {
				return
			}
			var got found
			a.Into(t, &got)
			priced := !slices.Contains(test.missing, "pricing")
			if !slices.Equal(got.Degraded, test.missing) || len(got.Rooms) != 1 || got.Rooms[0].Rates[0].Unavailable == priced ||
				(got.Rooms[0].UnitsLeft == nil) != priced {
				t.Errorf("got %s", a.Body)
			}
		})
	}
}

func TestReadAvailability_stale(t *testing.T) {
	t.Parallel()
	system, hotels := tenantbookingtest.BuildWithHotels(t, Function)
	guest := system.Guest(0)
	fresh := ask(guest, hotels)
	hotels.Mood("inventory", upstreamtest.Failing)
	system.DB.Advance(40 * time.Second)
	stale := ask(guest, hotels)
	if stale.Header.Get("X-Cache") != "STALE" || string(stale.Body) != strings.Replace(string(fresh.Body), `"stale":false`, `"stale":true`, 1) {
		t.Errorf("got %s %s", stale.Header.Get("X-Cache"), stale.Body)
	}
}

func TestReadAvailability_otherTenant(t *testing.T) {
	t.Parallel()
	system, hotels := tenantbookingtest.BuildWithHotels(t, Function)
	own, other := system.Guest(0), system.Guest(1)
	ask(own, hotels) // fills the cache
	missing := other.Send("GET", strings.Replace(query(other, hotels), hotels.Property.ID.String(), "ppt_01J8KABG000000000000000PPT", 1), nil)
	if a := ask(other, hotels); a.Status != 404 || a.Code() != missing.Code() || a.Code() != "GENERAL.RESOURCE_NOT_FOUND" {
		t.Errorf("got %d %s, want what %s is", a.Status, a.Body, missing.Body)
	}
	if a := system.Front.As("").Get(own.Path(query(own, hotels))); a.Status != 401 || a.Header.Get("WWW-Authenticate") != "Cookie" {
		t.Errorf("without a session: %d", a.Status)
	}
}

func TestReadAvailability_invalidStay(t *testing.T) {
	t.Parallel()
	system, hotels := tenantbookingtest.BuildWithHotels(t, Function)
	guest := system.Guest(0)
	for _, test := range []struct{ from, to, member string }{
		{"adults=2", "adults=0", "/adults"}, {"rooms=1", "rooms=3", "/adults"}, {"adults=2", "adults=999", "/adults"},
		{"rooms=1", "rooms=99", "/rooms"}, {"rooms=1", "rooms=0", "/rooms"}, {"children=1", "children=-1", "/children"}, {"children=1", "children=999", "/children"},
		{"checkOut=2", "checkOut=1", "/checkOut"}, {"checkIn=2", "checkIn=1", "/checkOut"}, {"checkIn=20", "checkIn=twenty", "/checkIn"},
	} {
		a := guest.Send("GET", strings.Replace(query(guest, hotels), test.from, test.to, 1), nil)
		if wrong := a.Problem().Violations; a.Status != 400 || len(wrong) != 1 || wrong[0].Pointer != test.member {
			t.Errorf("%s: %d %s, want %s", test.to, a.Status, a.Body, test.member)
		}
	}
}

func TestReadAvailability_pastStay(t *testing.T) {
	t.Parallel()
	system, hotels := tenantbookingtest.BuildWithHotels(t, Function)
	guest, path := system.Guest(0), ""
	for days, status := range map[int]int{-2: 400, -1: 200, 0: 200} { // yesterday in UTC may be today at the property
		s := hotels.Search(system.Env.Now(), days)
		path = "/availability?adults=2&propertyId=" + s.Property.String() + "&checkIn=" + s.Stay.CheckIn.String() + "&checkOut=" + s.Stay.CheckOut.String()
		if a := guest.Send("GET", path, nil); a.Status != status || status == 400 && a.Problem().Violations[0].Pointer != "/checkIn" {
			t.Errorf("%d days from now: %d %s", days, a.Status, a.Body)
		}
	}
}
