package sandbox_test

import (
	"testing"

	"melmastoon.ghasi.io/functions/demo/sandbox/demo"
	"melmastoon.ghasi.io/functions/demo/sandbox/internal/pricing"
	"melmastoon.ghasi.io/functions/demo/sandbox/internal/standin"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/stay"
	"melmastoon.ghasi.io/shared/testkit/check"
)

// A final cleaning is an extra of each room. Rates and previews contain it as a quote does.
func TestQuote_finalCleaning(t *testing.T) {
	t.Parallel()
	b := open(t)
	h := loadApartment(t, b)
	w := b.nights(10, 3)
	tariff, err := pricing.OpenTariffs(b.env).Get(t.Context(), h.Tenant, h.Property, h.Currency, "")
	check.Must(t, err)
	room := h.Rooms[0]
	wish := pricing.Wish{RoomType: room.ID, RatePlan: room.Saver.ID, Occupants: stay.Occupants{Adults: 1}}
	p, err := tariff.Quote([]pricing.Wish{wish, wish}, w)
	check.Must(t, err)
	for n, item := range p.Items {
		check.MustEqual(t, len(item.Extras), 1, "room %d: extras", n)
		if item.Extras[0].Amount <= 0 {
			t.Errorf("room %d: the final cleaning costs %d", n, item.Extras[0].Amount)
		}
	}
	previews, err := pricing.OpenTariffs(b.env).Preview(t.Context(), []id.Property{h.Property},
		pricing.Staying{Party: standin.Party{Adults: 2, Rooms: 2}, Window: w, Currency: h.Currency}, nil)
	check.Must(t, err)
	check.MustEqual(t, len(previews), 1)
	check.MustEqual(t, previews[0].RatePlan, room.Saver.ID, "the cheapest rate")
	check.Equal(t, previews[0].Total, p.Totals.GrandTotal, "totals of preview and quote")
}

// loadApartment loads the demo hotels up to the one that charges a final cleaning, and returns it.
func loadApartment(t *testing.T, b books) demo.Hotel {
	t.Helper()
	named, err := demo.Named()
	check.Must(t, err)
	all, err := demo.Hotels(named)
	check.Must(t, err)
	for n, h := range all {
		for _, c := range h.Charges {
			if c.Per == pricing.PerStay {
				check.Must(t, demo.Furnish(t.Context(), b.env, n+1))
				return h
			}
		}
	}
	t.Fatal("no demo hotel charges a final cleaning")
	return demo.Hotel{}
}
