package readavailability

import (
	"slices"
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
	"melmastoon.ghasi.io/shared/testkit/fntest"
	"melmastoon.ghasi.io/shared/testkit/upstreamtest"
)

func path(m *consumertest.System, h searchtest.Hotel) string {
	checkIn, checkOut := m.Dates(3, 2)
	return "/hotels/" + h.Property.String() + "/availability?checkIn=" + checkIn + "&checkOut=" + checkOut + "&adults=2&children=1&rooms=1"
}

func TestWhatAHotelSellsIsShown(t *testing.T) {
	t.Parallel()
	market := consumertest.OpenSystem(t, 2, Function)
	v, hotel := market.Traveller("Accept-Language", "ps"), market.Hotels[0]
	for _, test := range []struct {
		currency, asked string // what the visitor wants, and what the rates are in: the hotel takes afghanis and dollars
		total           money.Minor
		converted       bool
	}{
		{"AFN", "AFN", money.Minor{Amount: 800_000, Currency: money.AFN, Exponent: 2}, false},
		{"USD", "USD", money.Minor{Amount: 10_000, Currency: money.USD, Exponent: 2}, true},
		{"GBP", "AFN", money.Minor{Amount: 800_000, Currency: money.AFN, Exponent: 2}, false},
	} {
		var got search.Vacancy
		a := v.Must(200, "GET", path(market, hotel), nil, "X-Currency", test.currency)
		a.Into(t, &got)
		room := got.Rooms[0]
		if *got.Available != true || got.Rate == nil || got.Rate.Currency != money.Currency(test.currency) || room.Name != "ډیلکس" || *room.Total != test.total ||
			room.FX.IsZero() == test.converted || got.Stale || got.Missing != nil || got.Handoff.TTL != 1800 {
			t.Errorf("%s: got %s", test.currency, a.Body)
		}
		if again := v.Must(200, "GET", path(market, hotel), nil, "X-Currency", test.currency); again.Header.Get("X-Cache") != "HIT" || string(again.Body) != string(a.Body) {
			t.Errorf("again: %s %s", again.Header.Get("X-Cache"), again.Body)
		}
	}
	market.Do(func() { market.Hotels[1].Nightly = 0 }) // nothing is left
	var full search.Vacancy
	a := v.Must(200, "GET", path(market, market.Hotels[1]), nil)
	if a.Into(t, &full); full.Available == nil || *full.Available || full.Rate != nil {
		t.Errorf("a full house: %s", a.Body)
	}
}

func TestWhatIsMissingIsSaid(t *testing.T) {
	t.Parallel()
	market := consumertest.OpenSystem(t, 2, Function)
	v := market.Traveller()
	market.Mood("previews", upstreamtest.Failing)
	market.Mood("cheapest", upstreamtest.Garbled)
	var got search.Vacancy
	a := v.Must(200, "GET", path(market, market.Hotels[0]), nil)
	if a.Into(t, &got); !slices.Equal(got.Missing, []string{"pricing", "rates"}) || !strings.Contains(string(a.Body), `"available":null,"cheapestRateSnapshot":null`) {
		t.Errorf("got %s", a.Body)
	}
	market.Mood("properties", upstreamtest.Failing)
	v.Must(503, "GET", path(market, market.Hotels[1]), nil)
}

func TestWhatCannotBeAskedIsRefused(t *testing.T) {
	t.Parallel()
	market := consumertest.OpenSystem(t, 1, Function, tenantsuspended.Function)
	v, hotel, now := market.Traveller(), market.Hotels[0], market.Env.Now()
	for _, change := range [][2]string{{"adults=2", "adults=0"}, {"rooms=1", "rooms=3"}, {"rooms=1", "rooms=99"}, {"checkIn=2", "checkIn=1"}, {"adults=2&", ""}} {
		if a := v.Send("GET", strings.Replace(path(market, hotel), change[0], change[1], 1), nil); a.Status != 400 || len(a.Problem().Violations) == 0 {
			t.Errorf("%s: %d %s", change[1], a.Status, a.Body)
		}
	}
	v.Must(200, "GET", path(market, hotel), nil)
	market.Deliver(tenantsuspended.Function, hotel.Tenant, map[string]any{"tenantId": hotel.Tenant, "reason": "unpaid", "suspendedAt": now}, now)
	v.Must(404, "GET", path(market, hotel), nil)
}

func TestPastStay(t *testing.T) {
	t.Parallel()
	market := consumertest.OpenSystem(t, 1, Function, readhotel.Function, minthandoff.Function)
	hotel := market.Hotels[0]
	kabul, err := time.LoadLocation("Asia/Kabul")
	if err != nil {
		t.Fatal(err)
	}
	now := market.Env.Now()
	// To when it is tomorrow in Kabul and still today in UTC.
	market.DB.Advance(time.Date(now.Year(), now.Month(), now.Day(), 20, 0, 0, 0, time.UTC).AddDate(0, 0, 1).Sub(now))
	now = market.Env.Now()
	yesterday, today, tomorrow := now.In(kabul).AddDate(0, 0, -1).Format(time.DateOnly), now.In(kabul).Format(time.DateOnly), now.In(kabul).AddDate(0, 0, 1).Format(time.DateOnly)
	v := market.Traveller()
	mint := func(from string) string {
		return `{"dates":{"checkIn":"` + from + `","checkOut":"` + tomorrow + `"},"occupancy":{"adults":2,"children":0,"rooms":1}}`
	}
	query := func(from string) string { return "checkIn=" + from + "&checkOut=" + tomorrow + "&adults=2" }
	at := "/hotels/" + hotel.Property.String()
	for from, status := range map[string]int{yesterday: 400, today: 200} {
		for pointer, a := range map[string]fntest.Answer{
			"/checkIn":       v.Send("GET", at+"?"+query(from), nil),
			"/checkIn ":      v.Send("GET", at+"/availability?"+query(from), nil),
			"/dates/checkIn": v.Send("POST", "/handoff/"+hotel.Tenant.String()+at[len("/hotels"):], mint(from)),
		} {
			if a.Status/100 != status/100 {
				t.Errorf("%s from %s: %d %s", pointer, from, a.Status, a.Body)
			}
			if p := a.Problem(); status == 400 && (len(p.Violations) != 1 || p.Violations[0].Pointer != strings.TrimSpace(pointer)) {
				t.Errorf("from %s: %s", from, a.Body)
			}
		}
	}
}
