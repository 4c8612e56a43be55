package readavailability

import (
	"slices"
	"strings"
	"testing"

	"melmastoon.ghasi.io/functions/consumer"
	"melmastoon.ghasi.io/functions/consumer/consumertest"
	"melmastoon.ghasi.io/functions/consumer/tenantsuspended"
	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/upstreamtest"
)

func path(m *consumertest.Market, h consumertest.Hotel) string {
	checkIn, checkOut := m.Days(3, 2)
	return "/hotels/" + h.Property.String() + "/availability?checkIn=" + checkIn + "&checkOut=" + checkOut + "&adults=2&children=1&rooms=1"
}

func TestWhatAHotelSellsIsShown(t *testing.T) {
	t.Parallel()
	market := consumertest.OpenMarket(t, 2, Function)
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
		var got consumer.Vacancy
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
	var full consumer.Vacancy
	a := v.Must(200, "GET", path(market, market.Hotels[1]), nil)
	if a.Into(t, &full); full.Available == nil || *full.Available || full.Rate != nil {
		t.Errorf("a full house: %s", a.Body)
	}
}

func TestWhatIsMissingIsSaid(t *testing.T) {
	t.Parallel()
	market := consumertest.OpenMarket(t, 2, Function)
	v := market.Traveller()
	market.Mood("previews", upstreamtest.Failing)
	market.Mood("cheapest", upstreamtest.Garbled)
	var got consumer.Vacancy
	a := v.Must(200, "GET", path(market, market.Hotels[0]), nil)
	if a.Into(t, &got); !slices.Equal(got.Missing, []string{"pricing", "rates"}) || !strings.Contains(string(a.Body), `"available":null,"cheapestRateSnapshot":null`) {
		t.Errorf("got %s", a.Body)
	}
	market.Mood("properties", upstreamtest.Failing)
	v.Must(503, "GET", path(market, market.Hotels[1]), nil)
}

func TestWhatCannotBeAskedIsRefused(t *testing.T) {
	t.Parallel()
	market := consumertest.OpenMarket(t, 1, Function, tenantsuspended.Function)
	v, hotel, now := market.Traveller(), market.Hotels[0], market.Env.Now()
	for _, change := range [][2]string{{"adults=2", "adults=0"}, {"rooms=1", "rooms=3"}, {"rooms=1", "rooms=99"}, {"checkIn=2", "checkIn=1"}, {"adults=2&", ""}} {
		if a := v.Send("GET", strings.Replace(path(market, hotel), change[0], change[1], 1), nil); a.Status != 400 || len(a.Problem().Violations) == 0 {
			t.Errorf("%s: %d %s", change[1], a.Status, a.Body)
		}
	}
	v.Must(200, "GET", path(market, hotel), nil)
	market.Hears(tenantsuspended.Function, hotel.Tenant, map[string]any{"tenantId": hotel.Tenant, "reason": "unpaid", "suspendedAt": now}, now)
	v.Must(404, "GET", path(market, hotel), nil)
}
