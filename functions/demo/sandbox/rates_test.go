package sandbox_test

import (
	"net/http"
	"slices"
	"testing"

	"melmastoon.ghasi.io/functions/demo/sandbox/internal/pricing"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/money"
)

type compared struct {
	RoomTypes []pricing.Offers `json:"roomTypes"`
	FX        *pricing.FX      `json:"fxSnapshot"`
}

func (b books) comparePath(currency, people string) string {
	w := b.nights(10, 2)
	return "/sandbox/pricing/v1/cheapest?tenantId=" + kabul.Tenant.String() + "&propertyId=" + kabul.Property.String() +
		"&start=" + w.Start.String() + "&end=" + w.End.String() + "&currency=" + currency + people
}

func TestCompare_agreesWithQuote(t *testing.T) {
	t.Parallel()
	b := open(t)
	f := b.front(t)
	var all compared
	f.Get(b.comparePath("USD", "&adults=3&children=1&rooms=2")).Into(t, &all)
	if len(all.RoomTypes) != 2 {
		t.Fatalf("len(all.RoomTypes) = %d, want 2", len(all.RoomTypes))
	}
	if all.FX == nil {
		t.Fatal("all.FX = nil, want a value")
	}
	for _, room := range all.RoomTypes {
		if len(room.Rates) != 2 {
			t.Fatalf("%s: len(room.Rates) = %d, want 2", room.RoomType, len(room.Rates))
		}
		if room.Cheapest != room.Rates[0].RatePlan {
			t.Errorf("%s: room.Cheapest = %v, want %v", room.RoomType, room.Cheapest, room.Rates[0].RatePlan)
		}
		if room.Rates[0].Total > room.Rates[1].Total {
			t.Errorf("%s: room.Rates[0].Total = %d, want at most %d", room.RoomType, room.Rates[0].Total, room.Rates[1].Total)
		}
		for _, rate := range room.Rates {
			var quoted struct {
				Totals struct {
					Grand money.Micro `json:"grandTotalMicro"`
				} `json:"totals"`
			}
			f.Post("/sandbox/pricing/v1/quotes", body{"tenantId": kabul.Tenant, "propertyId": kabul.Property, "currency": "USD",
				"stayWindow": b.nights(10, 2), "items": []body{
					{"roomTypeId": room.RoomType, "ratePlanId": rate.RatePlan, "occupants": body{"adults": 2, "children": 1}},
					{"roomTypeId": room.RoomType, "ratePlanId": rate.RatePlan, "occupants": body{"adults": 1, "children": 0}}}}).Into(t, &quoted)
			if quoted.Totals.Grand != rate.Total {
				t.Errorf("%s is compared at %d and quoted at %d", rate.Name, rate.Total, quoted.Totals.Grand)
			}
			if _, err := (money.Amount{Micro: rate.Nightly, Currency: money.USD}).Minor(); err != nil {
				t.Errorf("the night at %s: %v", rate.Name, err)
			}
		}
	}
	var roomy compared
	f.Get(b.comparePath("AFN", "&adults=4&rooms=1")).Into(t, &roomy)
	if len(roomy.RoomTypes) != 1 {
		t.Fatalf("len(roomy.RoomTypes) = %d, want 1", len(roomy.RoomTypes))
	}
	if roomy.RoomTypes[0].RoomType != suites.ID {
		t.Errorf("roomy.RoomTypes[0].RoomType = %v, want %v", roomy.RoomTypes[0].RoomType, suites.ID)
	}
	for name, path := range map[string]string{
		"no adults": b.comparePath("AFN", "&adults=0&rooms=1"), "more rooms than adults": b.comparePath("AFN", "&adults=1&rooms=2"),
		"a currency of another hotel": b.comparePath("IRR", "&adults=1&rooms=1"), "no party": b.comparePath("AFN", ""),
	} {
		t.Run(name, func(t *testing.T) {
			if got := f.Get(path); got.Status/100 != 4 {
				t.Errorf("%d", got.Status)
			}
		})
	}
}

func TestPublishRatePlan(t *testing.T) {
	t.Parallel()
	b := open(t)
	f := b.front(t)
	plan := suites.Flexible.ID
	path := "/sandbox/pricing/v1/rate-plans/" + plan.String() + "/publish"
	week := slices.Repeat([]string{"1000000000"}, 7)
	var p pricing.PublishedPlan
	f.Post(path, body{"weekdayMicro": week}).Into(t, &p)
	if p.Version != 2 {
		t.Errorf("p.Version = %d, want 2", p.Version)
	}
	if p.Property != kabul.Property {
		t.Errorf("p.Property = %v, want %v", p.Property, kabul.Property)
	}
	if p.RatePlan != plan {
		t.Errorf("p.RatePlan = %v, want %v", p.RatePlan, plan)
	}
	var all compared
	f.Get(b.comparePath("AFN", "&adults=2&rooms=1")).Into(t, &all)
	i := slices.IndexFunc(all.RoomTypes, func(o pricing.Offers) bool { return o.RoomType == suites.ID })
	got := all.RoomTypes[i].Rates[0]
	if got.RatePlan != plan {
		t.Errorf("got.RatePlan = %v, want %v", got.RatePlan, plan)
	}
	if got.Nightly != 1000_000_000 {
		t.Errorf("got.Nightly = %d, want 1000_000_000", got.Nightly)
	}
	if got, want := b.notices(t), []string{"pricing.rate_plan.published.v1 2", "search_aggregation.listing.indexed.v1 2"}; !slices.Equal(got, want) {
		t.Errorf("published %q, want %q", got, want)
	}
	for name, bad := range map[string][]string{"six days": week[:6], "a free night": append(week[:6:6], "0")} {
		t.Run(name, func(t *testing.T) {
			if got := f.Post(path, body{"weekdayMicro": bad}); got.Code() != "GENERAL.VALIDATION_FAILED" {
				t.Errorf("%d %s", got.Status, got.Code())
			}
		})
	}
	if got := f.Post("/sandbox/pricing/v1/rate-plans/"+id.New[id.RatePlan]().String()+"/publish", body{"weekdayMicro": week}); got.Status != http.StatusNotFound {
		t.Errorf("an unknown plan: %d", got.Status)
	}
}
