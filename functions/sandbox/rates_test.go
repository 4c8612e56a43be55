package sandbox_test

import (
	"net/http"
	"slices"
	"testing"

	"melmastoon.ghasi.io/functions/sandbox"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/money"
)

type compared struct {
	RoomTypes []sandbox.Offers `json:"roomTypes"`
	FX        *sandbox.FX      `json:"fxSnapshot"`
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
	if len(all.RoomTypes) != 2 || all.FX == nil { // the standard room is too small
		t.Fatalf("compared %+v", all)
	}
	for _, room := range all.RoomTypes {
		if len(room.Rates) != 2 || room.Cheapest != room.Rates[0].RatePlan || room.Rates[0].Total > room.Rates[1].Total {
			t.Errorf("%s: %+v", room.RoomType, room)
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
	if len(roomy.RoomTypes) != 1 || roomy.RoomTypes[0].RoomType != suites.ID {
		t.Errorf("four people fit into %+v", roomy.RoomTypes)
	}
	for name, path := range map[string]string{
		"nobody": b.comparePath("AFN", "&adults=0&rooms=1"), "more rooms than adults": b.comparePath("AFN", "&adults=1&rooms=2"),
		"a currency of another hotel": b.comparePath("IRR", "&adults=1&rooms=1"), "no party": b.comparePath("AFN", ""),
	} {
		if got := f.Get(path); got.Status/100 != 4 {
			t.Errorf("%s: %d", name, got.Status)
		}
	}
}

func TestPublishRatePlan(t *testing.T) {
	t.Parallel()
	b := open(t)
	f := b.front(t)
	plan := suites.Flexible.ID
	path := "/sandbox/pricing/v1/rate-plans/" + plan.String() + "/publish"
	week := slices.Repeat([]string{"1000000000"}, 7)
	var p sandbox.PublishedPlan
	f.Post(path, body{"weekdayMicro": week}).Into(t, &p)
	if p.Version != 2 || p.Property != kabul.Property || p.RatePlan != plan {
		t.Errorf("published %+v", p)
	}
	var all compared
	f.Get(b.comparePath("AFN", "&adults=2&rooms=1")).Into(t, &all)
	i := slices.IndexFunc(all.RoomTypes, func(o sandbox.Offers) bool { return o.RoomType == suites.ID })
	if got := all.RoomTypes[i].Rates[0]; got.RatePlan != plan || got.Nightly != 1000_000_000 {
		t.Errorf("the suite now costs %+v", got)
	}
	if got, want := b.notices(t), []string{"pricing.rate_plan.published.v1 2", "search_aggregation.listing.indexed.v1 2"}; !slices.Equal(got, want) {
		t.Errorf("published %q, want %q", got, want)
	}
	for name, bad := range map[string][]string{"six days": week[:6], "a free night": append(week[:6:6], "0")} {
		if got := f.Post(path, body{"weekdayMicro": bad}); got.Code() != "GENERAL.VALIDATION_FAILED" {
			t.Errorf("%s: %d %s", name, got.Status, got.Code())
		}
	}
	if got := f.Post("/sandbox/pricing/v1/rate-plans/"+id.New[id.RatePlan]().String()+"/publish", body{"weekdayMicro": week}); got.Status != http.StatusNotFound {
		t.Errorf("an unknown plan: %d", got.Status)
	}
}
