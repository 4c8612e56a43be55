package readavailability

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"melmastoon.ghasi.io/functions/tenantbooking/internal/hotel"
	"melmastoon.ghasi.io/functions/tenantbooking/tenantbookingtest"
	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/testkit/check"
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
	day := g.Env.Now().AddDate(0, 0, 1)
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
	first.Want(t, 200)
	plan, left := hotels.Property.RatePlans[0], 3
	want := found{Currency: "USD", Rooms: []hotel.RoomView{{
		RoomTypeView: hotel.RoomTypeView{
			RoomType: hotels.Property.RoomTypes[0].ID, Name: "ډیلکس", Description: "لویه خونه", MaxOccupancy: 3,
			Photos: []hotel.PhotoView{{URL: "data:,", Alt: "A bed", Hero: true}},
		},
		UnitsLeft: &left,
		Rates: []hotel.RateView{{
			RatePlan: plan.ID, Name: plan.Name, MealPlan: plan.MealPlan, Policy: plan.Policy,
			Nightly: &money.Minor{Amount: 10_000, Currency: money.USD, Exponent: 2},
			Total:   &money.Minor{Amount: 20_000, Currency: money.USD, Exponent: 2},
		}},
	}}}
	check.Equal(t, got, want, "unexpected rooms")
	again := ask(guest, hotels, "Accept-Language", "ps", "X-Currency", "USD")
	again.Want(t, 200, "X-Cache", "HIT")
	again.WantText(t, string(first.Body))
	other := ask(guest, hotels, "X-Currency", "AFN")
	other.Want(t, 200, "X-Cache", "MISS")
	other.WantText(t, `"currency":"AFN"`)
}

func TestReadAvailability_slowServices(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, service string
		behavior      upstreamtest.Behavior
		status        int
		missing       []string
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
			hotels.SetBehavior(test.service, test.behavior)
			var a fntest.Answer
			if took, stalled := fntest.Timed(func() { a = ask(guest, hotels) }); took > system.Env.Timeout(Function.Spec.Timeout+50*time.Millisecond) {
				t.Errorf("took %v, not counting %v in which the machine was stalled", took, stalled)
			}
			a.Must(t, test.status)
			if test.status != 200 {
				return
			}
			got := fntest.Read[found](t, a)
			check.Equal(t, got.Degraded, test.missing, "degraded")
			check.MustEqual(t, len(got.Rooms), 1)
			priced, room := !slices.Contains(test.missing, "pricing"), got.Rooms[0]
			check.NotEqual(t, room.Rates[0].Unavailable, priced, "priceUnavailable")
			check.NotEqual(t, room.UnitsLeft != nil, priced)
		})
	}
}

func TestReadAvailability_stale(t *testing.T) {
	t.Parallel()
	system, hotels := tenantbookingtest.BuildWithHotels(t, Function)
	guest := system.Guest(0)
	fresh := ask(guest, hotels)
	hotels.SetBehavior("inventory", upstreamtest.Failing)
	system.DB.Advance(40 * time.Second)
	stale := ask(guest, hotels)
	stale.Want(t, 200, "X-Cache", "STALE")
	stale.WantText(t, strings.Replace(string(fresh.Body), `"stale":false`, `"stale":true`, 1))
}

func TestReadAvailability_otherTenant(t *testing.T) {
	t.Parallel()
	system, hotels := tenantbookingtest.BuildWithHotels(t, Function)
	own, other := system.Guest(0), system.Guest(1)
	ask(own, hotels) // fills the cache
	missing := other.Send("GET", strings.Replace(query(other, hotels), hotels.Property.ID.String(), "ppt_01J8KABG000000000000000PPT", 1), nil)
	ask(other, hotels).WantProblem(t, 404, "GENERAL.RESOURCE_NOT_FOUND")
	missing.WantProblem(t, 404, "GENERAL.RESOURCE_NOT_FOUND") // the same answer for an unknown property
	system.Front.As("").Get(own.Path(query(own, hotels))).Want(t, 401, "WWW-Authenticate", "Cookie")
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
		t.Run(test.to, func(t *testing.T) {
			a := guest.Send("GET", strings.Replace(query(guest, hotels), test.from, test.to, 1), nil)
			a.Want(t, 400)
			wrong := a.Problem().Violations
			check.MustEqual(t, len(wrong), 1, "violations")
			check.Equal(t, wrong[0].Pointer, test.member, "a violation of")
		})
	}
}

// The calendar date at the property decides. At 19:50 UTC it is 00:20 of the next day in Kabul, and still the morning in Pago Pago.
func TestReadAvailability_pastStay(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		zone   string
		hour   int // UTC
		days   int // of the arrival, from the date in UTC
		status int
	}{
		{"Asia/Kabul", 19, 0, 400}, {"Asia/Kabul", 19, 1, 200}, {"Asia/Kabul", 9, -1, 400}, {"Asia/Kabul", 9, 0, 200},
		{"Pacific/Pago_Pago", 9, -1, 200}, {"Pacific/Pago_Pago", 9, -2, 400}, {"Pacific/Pago_Pago", 19, -1, 400}, {"Pacific/Pago_Pago", 19, 0, 200},
	} {
		t.Run(fmt.Sprintf("%s/%d/%d", test.zone, test.hour, test.days), func(t *testing.T) {
			t.Parallel()
			system, hotels := tenantbookingtest.BuildWithHotels(t, Function)
			hotels.Property.TimeZone = test.zone
			system.AdvanceTo(test.hour, 50)
			guest := system.Guest(0)
			s := hotels.Search(system.Env.Now().UTC(), test.days)
			path := "/availability?adults=2&propertyId=" + s.Property.String() + "&checkIn=" + s.Stay.CheckIn.String() + "&checkOut=" + s.Stay.CheckOut.String()
			if a := guest.Send("GET", path, nil); a.Status != test.status || test.status == 400 && a.Problem().Violations[0].Pointer != "/checkIn" {
				t.Errorf("got %d %s, want %d", a.Status, a.Body, test.status)
			}
		})
	}
}
