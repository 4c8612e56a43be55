package readavailability

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"melmastoon.ghasi.io/functions/consumer/consumertest"
	"melmastoon.ghasi.io/functions/consumer/internal/search"
	"melmastoon.ghasi.io/functions/consumer/internal/search/searchtest"
	"melmastoon.ghasi.io/functions/consumer/minthandoff"
	"melmastoon.ghasi.io/functions/consumer/readhotel"
	"melmastoon.ghasi.io/functions/consumer/tenantsuspended"
	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/testkit/check"
	"melmastoon.ghasi.io/shared/testkit/fntest"
	"melmastoon.ghasi.io/shared/testkit/upstreamtest"
)

func path(m *consumertest.System, h searchtest.Hotel) string {
	checkIn, checkOut := m.Dates(3, 2)
	return "/hotels/" + h.Property.String() + "/availability?checkIn=" + checkIn + "&checkOut=" + checkOut + "&adults=2&children=1&rooms=1"
}

func TestReadAvailability_complete(t *testing.T) {
	t.Parallel()
	system := consumertest.OpenSystem(t, 2, Function)
	v, hotel := system.Traveller("Accept-Language", "ps"), system.Hotels[0]
	for _, test := range []struct {
		currency, asked string // what the visitor wants, and what the rates are in: the hotel takes afghanis and dollars
		total           money.Minor
		converted       bool
	}{
		{"AFN", "AFN", money.Minor{Amount: 800_000, Currency: money.AFN, Exponent: 2}, false},
		{"USD", "USD", money.Minor{Amount: 10_000, Currency: money.USD, Exponent: 2}, true},
		{"GBP", "AFN", money.Minor{Amount: 800_000, Currency: money.AFN, Exponent: 2}, false},
	} {
		t.Run(test.currency, func(t *testing.T) {
			var got search.Vacancy
			a := v.Must(200, "GET", path(system, hotel), nil, "X-Currency", test.currency)
			a.Into(t, &got)
			room := got.Rooms[0]
			check.Equal(t, *got.Available, true)
			check.MustNotEqual(t, got.Rate, nil)
			check.Equal(t, got.Rate.Currency, money.Currency(test.currency))
			check.Equal(t, room.Name, "ډیلکس")
			check.Equal(t, *room.Total, test.total)
			check.NotEqual(t, room.FX.IsZero(), test.converted)
			check.Equal(t, got.Stale, false)
			check.Equal(t, got.Missing, nil)
			check.Equal(t, got.Handoff.TTL, 1800)
			again := v.Must(200, "GET", path(system, hotel), nil, "X-Currency", test.currency)
			check.Equal(t, again.Header.Get("X-Cache"), "HIT")
			check.Equal(t, string(again.Body), string(a.Body))
		})
	}
	check.Equal(t, system.AllCalls(), map[string]int{"properties": 1, "tenants": 1, "previews": 3, "cheapest": 2}, "calls of other services")
	system.Do(func() { system.Hotels[1].Nightly = 0 }) // nothing is left
	var full search.Vacancy
	a := v.Must(200, "GET", path(system, system.Hotels[1]), nil)
	a.Into(t, &full)
	check.MustNotEqual(t, full.Available, nil, "a full house")
	if *full.Available {
		t.Error("a full house: *full.Available = true, want false")
	}
	check.Equal(t, full.Rate, nil, "a full house")
}

// Without an exchange rate, rates are in the hotel's own currency too.
func TestReadAvailability_noExchangeRate(t *testing.T) {
	t.Parallel()
	system := consumertest.OpenSystem(t, 1, Function)
	system.Do(func() { system.Hotels[0].OwnMoney = true })
	got := fntest.Read[search.Vacancy](t, system.Traveller().Must(200, "GET", path(system, system.Hotels[0]), nil, "X-Currency", "USD"))
	check.Equal(t, got.Missing, nil)
	if want := (money.Minor{Amount: 800_000, Currency: money.AFN, Exponent: 2}); got.Rooms[0].Total == nil || *got.Rooms[0].Total != want {
		t.Errorf("got.Rooms[0].Total = %v, want %v", got.Rooms[0].Total, want)
	}
	if got.Rate == nil || got.Rate.Policy != search.FallbackCurrency {
		t.Errorf("got.Rate = %+v, want the policy fallback", got.Rate)
	}
	check.Equal(t, system.AllCalls(), map[string]int{"properties": 1, "tenants": 1, "previews": 1, "cheapest": 2}, "calls of other services")
}

func TestReadAvailability_degraded(t *testing.T) {
	t.Parallel()
	system := consumertest.OpenSystem(t, 2, Function)
	v := system.Traveller()
	system.SetBehavior("previews", upstreamtest.Failing)
	system.SetBehavior("cheapest", upstreamtest.Garbled)
	var got search.Vacancy
	a := v.Must(200, "GET", path(system, system.Hotels[0]), nil)
	a.Into(t, &got)
	check.Equal(t, got.Missing, []string{"pricing", "rates"})
	a.WantText(t, `"available":null,"cheapestRateSnapshot":null`)
	system.SetBehavior("properties", upstreamtest.Failing)
	v.Must(503, "GET", path(system, system.Hotels[1]), nil)
}

func TestReadAvailability_invalid(t *testing.T) {
	t.Parallel()
	system := consumertest.OpenSystem(t, 1, Function, tenantsuspended.Function)
	v, hotel, now := system.Traveller(), system.Hotels[0], system.Env.Now()
	for _, change := range [][2]string{{"adults=2", "adults=0"}, {"rooms=1", "rooms=3"}, {"rooms=1", "rooms=99"}, {"checkIn=2", "checkIn=1"}, {"adults=2&", ""}} {
		t.Run(fmt.Sprint(change), func(t *testing.T) {
			a := v.Send("GET", strings.Replace(path(system, hotel), change[0], change[1], 1), nil)
			a.Want(t, 400)
			check.NotEqual(t, len(a.Problem().Violations), 0, "%s", change[1])
		})
	}
	v.Must(200, "GET", path(system, hotel), nil)
	system.Deliver(tenantsuspended.Function, hotel.Tenant, map[string]any{"tenantId": hotel.Tenant, "reason": "unpaid", "suspendedAt": now}, now)
	v.Must(404, "GET", path(system, hotel), nil)
}

func TestReadAvailability_pastStay(t *testing.T) {
	t.Parallel()
	system := consumertest.OpenSystem(t, 1, Function, readhotel.Function, minthandoff.Function)
	hotel := system.Hotels[0]
	kabul, err := time.LoadLocation("Asia/Kabul")
	check.Must(t, err)
	now := system.Env.Now()
	// To when it is tomorrow in Kabul and still today in UTC.
	system.DB.Advance(time.Date(now.Year(), now.Month(), now.Day(), 20, 0, 0, 0, time.UTC).AddDate(0, 0, 1).Sub(now))
	now = system.Env.Now()
	yesterday, today, tomorrow := now.In(kabul).AddDate(0, 0, -1).Format(time.DateOnly), now.In(kabul).Format(time.DateOnly), now.In(kabul).AddDate(0, 0, 1).Format(time.DateOnly)
	v := system.Traveller()
	mint := func(from string) string {
		return `{"dates":{"checkIn":"` + from + `","checkOut":"` + tomorrow + `"},"occupancy":{"adults":2,"children":0,"rooms":1}}`
	}
	query := func(from string) string { return "checkIn=" + from + "&checkOut=" + tomorrow + "&adults=2" }
	at := "/hotels/" + hotel.Property.String()
	for from, status := range map[string]int{yesterday: 400, today: 200} {
		t.Run(from, func(t *testing.T) {
			for pointer, a := range map[string]fntest.Answer{
				"/checkIn":       v.Send("GET", at+"?"+query(from), nil),
				"/checkIn ":      v.Send("GET", at+"/availability?"+query(from), nil),
				"/dates/checkIn": v.Send("POST", "/handoff/"+hotel.Tenant.String()+at[len("/hotels"):], mint(from)),
			} {
				t.Run(fmt.Sprintf("%q", pointer), func(t *testing.T) {
					check.Equal(t, a.Status/100, status/100, "%s: %s", pointer, a.Body)
					if p := a.Problem(); status == 400 && (len(p.Violations) != 1 || p.Violations[0].Pointer != strings.TrimSpace(pointer)) {
						t.Errorf("from %s: %s", from, a.Body)
					}
				})
			}
		})
	}
}
