// Package reservationtest stores quotes and reservations in a test's database and checks their events.
package reservationtest

import (
	"context"
	"testing"
	"time"

	"melmastoon.ghasi.io/functions/reservation/internal/access"
	"melmastoon.ghasi.io/functions/reservation/internal/booking"
	"melmastoon.ghasi.io/functions/reservation/internal/quotes"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/stay"
)

// TTL is the duration of holds in tests.
const TTL = 10 * time.Minute

// Ask returns an ask for one room for two nights, in the future of every test clock.
func Ask(t testing.TB, property id.Property) quotes.Ask {
	t.Helper()
	start, err := stay.ParseDate("2036-12-01")
	if err != nil {
		t.Fatal(err)
	}
	return quotes.Ask{
		Property: property, Stay: stay.Window{Start: start, End: start.AddDays(2)}, Currency: money.USD, Locale: "ps-AF",
		Items: []quotes.AskedItem{{RoomType: id.New[id.RoomType](), RatePlan: id.New[id.RatePlan](), Occupants: stay.Occupants{Adults: 2}}},
	}
}

// Price returns pricing's answer to an ask: 100 per room and night.
func Price(a quotes.Ask, until time.Time) quotes.Price {
	const rate = 100_000_000
	var items []quotes.PricedItem
	var total money.Micro
	for _, asked := range a.Items {
		item := quotes.PricedItem{RoomType: asked.RoomType, RatePlan: asked.RatePlan, Nightly: rate}
		for _, date := range a.Stay.Dates() {
			item.Nights = append(item.Nights, quotes.Night{Date: date, Amount: rate, Room: rate})
			item.Total += rate
		}
		items, total = append(items, item), total+item.Total
	}
	return quotes.Price{
		Items:  items,
		Lines:  []quotes.Line{{Kind: "room", Description: "Two nights", Amount: total}},
		Totals: quotes.PriceTotals{Totals: quotes.Totals{Grand: total, Currency: a.Currency}},
		Policy: quotes.Policy{Ref: "pol_flex/1"}, ValidUntil: until,
	}
}

// Basis returns the terms of a quote: a property in Kabul.
func Basis() quotes.Basis {
	return quotes.Basis{
		Settings: quotes.Settings{HoldTTL: TTL, NoShowGrace: 6, Region: "gcp-me-central1"},
		Local:    quotes.Local{TimeZone: "Asia/Kabul", CheckInFrom: "14:00", CheckOutUntil: "12:00"},
	}
}

// Quote stores a quote that is valid for half an hour.
func Quote(t testing.TB, e env.Env, tenant id.Tenant, property id.Property) *quotes.Quote {
	t.Helper()
	return quote(t, e, tenant, Ask(t, property))
}

func quote(t testing.TB, e env.Env, tenant id.Tenant, ask quotes.Ask) *quotes.Quote {
	t.Helper()
	q, err := quotes.New(id.New[id.Request](), tenant, Basis(), ask, Price(ask, e.Now().Add(30*time.Minute)))
	if err != nil {
		t.Fatal(err)
	}
	if q, err = quotes.OpenStore(e).Add(t.Context(), q); err != nil {
		t.Fatal(err)
	}
	return q
}

// Held stores a reservation that is held from now on.
func Held(t testing.TB, e env.Env, tenant id.Tenant, property id.Property) *booking.Reservation {
	t.Helper()
	return held(t, e, Quote(t, e, tenant, property))
}

func held(t testing.TB, e env.Env, q *quotes.Quote) *booking.Reservation {
	t.Helper()
	r, err := hold(t.Context(), e, q)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func hold(ctx context.Context, e env.Env, q *quotes.Quote) (*booking.Reservation, error) {
	session := id.New[id.TenantSession]()
	r, err := booking.Reserve(q, booking.Details{
		Act: id.New[id.Request](), Session: &session, Channel: booking.Direct, CreatedBy: access.Actor{Type: access.Guest, ID: "gst_someone"}, TTL: TTL,
	})
	if err != nil {
		return nil, err
	}
	if err := r.StartHold(booking.HoldResult{PlacedAt: e.Now(), ExpiresAt: e.Now().Add(TTL)}); err != nil {
		return nil, err
	}
	by := access.Principal{Scope: access.Scope{Tenant: q.Tenant}}
	return r, booking.OpenReservations(e).Book(ctx, by, r, nil)
}
