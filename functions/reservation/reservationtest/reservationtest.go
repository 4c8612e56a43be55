// Package reservationtest stores quotes and reservations in a test's database and checks their events.
package reservationtest

import (
	"testing"
	"time"

	"melmastoon.ghasi.io/functions/reservation"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/stay"
)

// TTL is the duration of holds in tests.
const TTL = 10 * time.Minute

// Ask returns an ask for one room for two nights, in the future of every test clock.
func Ask(t testing.TB, property id.Property) reservation.Ask {
	t.Helper()
	start, err := stay.ParseDate("2036-12-01")
	if err != nil {
		t.Fatal(err)
	}
	return reservation.Ask{
		Property: property, Stay: reservation.Stay{Start: start, End: start.AddDays(2)}, Currency: money.USD, Locale: "ps-AF",
		Items: []reservation.AskedItem{{RoomType: id.New[id.RoomType](), RatePlan: id.New[id.RatePlan](), Occupants: stay.Occupants{Adults: 2}}},
	}
}

// Price returns pricing's answer to an ask for one room: 100 per night.
func Price(a reservation.Ask, until time.Time) reservation.Price {
	const rate = 100_000_000
	total := rate * money.Micro(a.Stay.Nights())
	return reservation.Price{
		Items:  []reservation.PricedItem{{RoomType: a.Items[0].RoomType, RatePlan: a.Items[0].RatePlan, Nightly: rate, Total: total}},
		Lines:  []reservation.Line{{Kind: "room", Description: "Two nights", Amount: total}},
		Totals: reservation.PriceTotals{Totals: reservation.Totals{Grand: total, Currency: a.Currency}},
		Policy: reservation.Policy{Ref: "pol_flex/1"}, ValidUntil: until,
	}
}

// Basis returns the terms of a quote: a property in Kabul.
func Basis() reservation.Basis {
	return reservation.Basis{
		Settings: reservation.Settings{HoldTTL: TTL, NoShowGrace: 6, Region: "gcp-me-central1"},
		Local:    reservation.Local{TimeZone: "Asia/Kabul", CheckInFrom: "14:00", CheckOutUntil: "12:00"},
	}
}

// Quote stores a quote that is valid for half an hour.
func Quote(t testing.TB, e env.Env, tenant id.Tenant, property id.Property) *reservation.Quote {
	t.Helper()
	ask := Ask(t, property)
	q, err := reservation.NewQuote(id.New[id.Request](), tenant, Basis(), ask, Price(ask, e.Now().Add(30*time.Minute)))
	if err != nil {
		t.Fatal(err)
	}
	if q, err = reservation.OpenQuotes(e).Add(t.Context(), q); err != nil {
		t.Fatal(err)
	}
	return q
}

// Held stores a reservation that is held from now on.
func Held(t testing.TB, e env.Env, tenant id.Tenant, property id.Property) *reservation.Reservation {
	t.Helper()
	session := id.New[id.TenantSession]()
	r, err := Quote(t, e, tenant, property).Reserve(reservation.Booking{
		Act: id.New[id.Request](), Session: &session, Channel: reservation.Direct, CreatedBy: reservation.Actor{Type: reservation.Guest, ID: "gst_someone"}, TTL: TTL,
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Keep(reservation.HoldResult{PlacedAt: e.Now(), ExpiresAt: e.Now().Add(TTL)}); err != nil {
		t.Fatal(err)
	}
	by := reservation.Principal{Scope: reservation.Scope{Tenant: tenant}}
	if err := reservation.OpenReservations(e).Book(t.Context(), by, r, nil); err != nil {
		t.Fatal(err)
	}
	return r
}
