package readavailability

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"melmastoon.ghasi.io/functions/consumer/consumertest"
	"melmastoon.ghasi.io/functions/consumer/internal/search"
	"melmastoon.ghasi.io/functions/consumer/internal/search/searchtest"
	"melmastoon.ghasi.io/functions/consumer/minthandoff"
	"melmastoon.ghasi.io/functions/consumer/readhotel"
	"melmastoon.ghasi.io/functions/consumer/tenantsuspended"
	"melmastoon.ghasi.io/shared/money"
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
			if *got.Available != true {
				t.Errorf("*got.Available = %t, want true", *got.Available)
			}
			if got.Rate == nil {
				t.Fatal("got.Rate = nil, want a value")
			}
			if got.Rate.Currency != money.Currency(test.currency) {
				t.Errorf("got.Rate.Currency = %q, want %q", got.Rate.Currency, money.Currency(test.currency))
			}
			if room.Name != "ډیلکس" {
				t.Errorf(`room.Name = %q, want "ډیلکس"`, room.Name)
			}
			if *room.Total != test.total {
				t.Errorf("*room.Total = %+v, want %+v", *room.Total, test.total)
			}
			if room.FX.IsZero() == test.converted {
				t.Errorf("room.FX.IsZero() = %t, want another value", room.FX.IsZero())
			}
			if got.Stale {
				t.Error("got.Stale = true, want false")
			}
			if got.Missing != nil {
				t.Errorf("got.Missing = %q, want nil", got.Missing)
			}
			if got.Handoff.TTL != 1800 {
				t.Errorf("got.Handoff.TTL = %d, want 1800", got.Handoff.TTL)
			}
			again := v.Must(200, "GET", path(system, hotel), nil, "X-Currency", test.currency)
			if again.Header.Get("X-Cache") != "HIT" {
				t.Errorf(`again: again.Header.Get("X-Cache") = %q, want "HIT"`, again.Header.Get("X-Cache"))
			}
			if string(again.Body) != string(a.Body) {
				t.Errorf("again: string(again.Body) = %q, want %q", string(again.Body), string(a.Body))
			}
		})
	}
	if diff := cmp.Diff(map[string]int{"properties": 1, "tenants": 1, "previews": 3, "cheapest": 2}, system.AllCalls()); diff != "" {
		t.Errorf("calls of other services (-want +got):\n%s", diff)
	}
	system.Do(func() { system.Hotels[1].Nightly = 0 }) // nothing is left
	var full search.Vacancy
	a := v.Must(200, "GET", path(system, system.Hotels[1]), nil)
	a.Into(t, &full)
	if full.Available == nil {
		t.Fatal("a full house: full.Available = nil, want a value")
	}
	if *full.Available {
		t.Error("a full house: *full.Available = true, want false")
	}
	if full.Rate != nil {
		t.Errorf("a full house: full.Rate = %v, want nil", full.Rate)
	}
}

// Without an exchange rate, rates are in the hotel's own currency too.
func TestReadAvailability_noExchangeRate(t *testing.T) {
	t.Parallel()
	system := consumertest.OpenSystem(t, 1, Function)
	system.Do(func() { system.Hotels[0].OwnMoney = true })
	var got search.Vacancy
	system.Traveller().Must(200, "GET", path(system, system.Hotels[0]), nil, "X-Currency", "USD").Into(t, &got)
	if got.Missing != nil {
		t.Errorf("got.Missing = %q, want nil", got.Missing)
	}
	if want := (money.Minor{Amount: 800_000, Currency: money.AFN, Exponent: 2}); got.Rooms[0].Total == nil || *got.Rooms[0].Total != want {
		t.Errorf("got.Rooms[0].Total = %v, want %v", got.Rooms[0].Total, want)
	}
	if got.Rate == nil || got.Rate.Policy != search.FallbackCurrency {
		t.Errorf("got.Rate = %+v, want the policy fallback", got.Rate)
	}
	if diff := cmp.Diff(map[string]int{"properties": 1, "tenants": 1, "previews": 1, "cheapest": 2}, system.AllCalls()); diff != "" {
		t.Errorf("calls of other services (-want +got):\n%s", diff)
	}
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
	if !slices.Equal(got.Missing, []string{"pricing", "rates"}) {
		t.Errorf("got.Missing = %q, want %q", got.Missing, []string{"pricing", "rates"})
	}
	if !strings.Contains(string(a.Body), `"available":null,"cheapestRateSnapshot":null`) {
		t.Errorf("string(a.Body) = %q, want it to contain %q", string(a.Body), `"available":null,"cheapestRateSnapshot":null`)
	}
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
			if a.Status != 400 {
				t.Errorf("%s: status = %d, want 400: %s", change[1], a.Status, a.Body)
			}
			if len(a.Problem().Violations) == 0 {
				t.Errorf("%s: len(a.Problem().Violations) = %d, want another value", change[1], len(a.Problem().Violations))
			}
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
	if err != nil {
		t.Fatal(err)
	}
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
					if a.Status/100 != status/100 {
						t.Errorf("%s from %s: %d %s", pointer, from, a.Status, a.Body)
					}
					if p := a.Problem(); status == 400 && (len(p.Violations) != 1 || p.Violations[0].Pointer != strings.TrimSpace(pointer)) {
						t.Errorf("from %s: %s", from, a.Body)
					}
				})
			}
		})
	}
}
