// Package quotestest has sample quotes for tests.
package quotestest

import (
	"testing"
	"time"

	"melmastoon.ghasi.io/functions/reservation/internal/quotes"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/stay"
)

// Noon is the fixed time of these tests. The clock of the database, which they do not set, is earlier, so nothing they store is over for it.
var Noon = time.Date(2037, 11, 20, 12, 0, 0, 0, time.UTC)

// Ask returns an ask for two rooms for two nights.
func Ask() quotes.Ask {
	room := quotes.AskedItem{RoomType: id.New[id.RoomType](), RatePlan: id.New[id.RatePlan](), Occupants: stay.Occupants{Adults: 2, Children: 1}}
	other := quotes.AskedItem{RoomType: id.New[id.RoomType](), RatePlan: id.New[id.RatePlan](), Occupants: stay.Occupants{Adults: 1}}
	session := id.New[id.TenantSession]()
	return quotes.Ask{
		Property: id.New[id.Property](), Items: []quotes.AskedItem{room, other}, Currency: money.USD, Locale: "fa-AF", Session: &session, Promo: "NAWROZ",
		Stay: stay.Window{Start: stay.DateOf(Noon.AddDate(0, 0, 11)), End: stay.DateOf(Noon.AddDate(0, 0, 13))},
	}
}

// Price returns pricing's answer to an ask: 100 and 2.50 tax per room and night.
func Price(a quotes.Ask, until time.Time) quotes.Price { return PriceAt(a, until, 100_000_000) }

// PriceAt returns pricing's answer to an ask: a rate and 2.50 tax per room and night.
func PriceAt(a quotes.Ask, until time.Time, rate money.Micro) quotes.Price {
	const tax = 2_500_000
	own, afghani := money.Micro(28_700_000_000), money.AFN
	p := quotes.Price{
		Totals: quotes.PriceTotals{Totals: quotes.Totals{Grand: 0, Currency: a.Currency}, Own: quotes.Own{OwnTotal: &own, OwnCurrency: &afghani}}, ValidUntil: until,
		Policy: quotes.Policy{Ref: "pol_flex/1", FreeUntil: 48, PenaltyPercent: 50, Description: "Free until two days before."},
	}
	for _, item := range a.Items {
		priced := quotes.PricedItem{RoomType: item.RoomType, RatePlan: item.RatePlan, Nightly: rate}
		for _, date := range a.Stay.Dates() {
			priced.Nights = append(priced.Nights, quotes.Night{Date: date, Amount: rate + tax, Room: rate})
			priced.Total += rate + tax
		}
		p.Items = append(p.Items, priced)
		p.Lines = append(p.Lines, quotes.Line{Kind: "room", Description: "Room", Amount: priced.Total})
		p.Totals.Grand += priced.Total
	}
	return p
}

// Basis returns the terms of a property in Kabul, four and a half hours ahead of UTC.
func Basis() quotes.Basis {
	return quotes.Basis{Settings: quotes.Settings{HoldTTL: stay.DefaultHold, NoShowGrace: 6, Region: "gcp-me-central1"}, Local: quotes.Local{TimeZone: "Asia/Kabul", CheckInFrom: "14:00", CheckOutUntil: "12:00"}}
}

// Quote returns a quote that is read at noon and valid for another half hour.
func Quote(t testing.TB, tenant id.Tenant) *quotes.Quote {
	t.Helper()
	ask := Ask()
	q, err := quotes.New(id.New[id.Request](), tenant, Basis(), ask, Price(ask, Noon.Add(30*time.Minute)))
	if err != nil {
		t.Fatal(err)
	}
	q.AsOf = Noon
	return q
}
