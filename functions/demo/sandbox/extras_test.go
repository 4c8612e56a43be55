package sandbox_test

import (
	"testing"

	"melmastoon.ghasi.io/functions/demo/sandbox/demo"
	"melmastoon.ghasi.io/functions/demo/sandbox/internal/pricing"
	"melmastoon.ghasi.io/functions/demo/sandbox/internal/standin"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/stay"
)

// A final cleaning is an extra of each room. Rates and previews contain it as a quote does.
func TestQuote_finalCleaning(t *testing.T) {
	t.Parallel()
	b := open(t)
	h := loadApartment(t, b)
	w := b.nights(10, 3)
	tariff, err := pricing.OpenTariffs(b.env).Get(t.Context(), h.Tenant, h.Property, h.Currency, "")
	if err != nil {
		t.Fatal(err)
	}
	room := h.Rooms[0]
	wish := pricing.Wish{RoomType: room.ID, RatePlan: room.Saver.ID, Occupants: stay.Occupants{Adults: 1}}
	p, err := tariff.Quote([]pricing.Wish{wish, wish}, w)
	if err != nil {
		t.Fatal(err)
	}
	for n, item := range p.Items {
		if len(item.Extras) != 1 {
			t.Fatalf("room %d: extras %v, want the final cleaning", n, item.Extras)
		}
		if item.Extras[0].Amount <= 0 {
			t.Errorf("room %d: the final cleaning costs %d", n, item.Extras[0].Amount)
		}
	}
	previews, err := pricing.OpenTariffs(b.env).Preview(t.Context(), []id.Property{h.Property},
		pricing.Staying{Party: standin.Party{Adults: 2, Rooms: 2}, Window: w, Currency: h.Currency}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(previews) != 1 {
		t.Fatalf("%d previews, want 1", len(previews))
	}
	if previews[0].RatePlan != room.Saver.ID {
		t.Fatalf("the cheapest rate is %s, want %s", previews[0].RatePlan, room.Saver.ID)
	}
	if previews[0].Total != p.Totals.GrandTotal {
		t.Errorf("the preview's total is %d, the quote's %d", previews[0].Total, p.Totals.GrandTotal)
	}
}

// loadApartment loads the demo hotels up to the one that charges a final cleaning, and returns it.
func loadApartment(t *testing.T, b books) demo.Hotel {
	t.Helper()
	named, err := demo.Named()
	if err != nil {
		t.Fatal(err)
	}
	all, err := demo.Hotels(named)
	if err != nil {
		t.Fatal(err)
	}
	for n, h := range all {
		for _, c := range h.Charges {
			if c.Per == pricing.PerStay {
				if err := demo.Furnish(t.Context(), b.env, n+1); err != nil {
					t.Fatal(err)
				}
				return h
			}
		}
	}
	t.Fatal("no demo hotel charges a final cleaning")
	return demo.Hotel{}
}
