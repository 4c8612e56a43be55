package sandbox_test

import (
	"net/http"
	"slices"
	"testing"

	"melmastoon.ghasi.io/functions/demo/sandbox/internal/pricing"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/testkit/check"
	"melmastoon.ghasi.io/shared/testkit/fntest"
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
	all := fntest.Read[compared](t, f.Get(b.comparePath("USD", "&adults=3&children=1&rooms=2")))
	check.MustEqual(t, len(all.RoomTypes), 2)
	check.MustNotEqual(t, all.FX, nil)
	for _, room := range all.RoomTypes {
		check.MustEqual(t, len(room.Rates), 2, "%s", room.RoomType.String())
		check.Equal(t, room.Cheapest, room.Rates[0].RatePlan, "%s", room.RoomType.String())
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
			check.Equal(t, quoted.Totals.Grand, rate.Total, "%s", rate.Name+": total quoted and compared")
			check.Got((money.Amount{Micro: rate.Nightly, Currency: money.USD}).Minor()).NoError(t, "the night at %s", rate.Name)
		}
	}
	roomy := fntest.Read[compared](t, f.Get(b.comparePath("AFN", "&adults=4&rooms=1")))
	check.MustEqual(t, len(roomy.RoomTypes), 1)
	check.Equal(t, roomy.RoomTypes[0].RoomType, suites.ID)
	for name, path := range map[string]string{
		"no adults": b.comparePath("AFN", "&adults=0&rooms=1"), "more rooms than adults": b.comparePath("AFN", "&adults=1&rooms=2"),
		"a currency of another hotel": b.comparePath("IRR", "&adults=1&rooms=1"), "no party": b.comparePath("AFN", ""),
	} {
		t.Run(name, func(t *testing.T) {
			check.Equal(t, f.Get(path).Status/100, 4)
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
	p := fntest.Read[pricing.PublishedPlan](t, f.Post(path, body{"weekdayMicro": week}))
	check.Equal(t, p.Version, 2)
	check.Equal(t, p.Property, kabul.Property)
	check.Equal(t, p.RatePlan, plan)
	all := fntest.Read[compared](t, f.Get(b.comparePath("AFN", "&adults=2&rooms=1")))
	i := slices.IndexFunc(all.RoomTypes, func(o pricing.Offers) bool { return o.RoomType == suites.ID })
	got := all.RoomTypes[i].Rates[0]
	check.Equal(t, got.RatePlan, plan)
	check.Equal(t, got.Nightly, 1000_000_000)
	check.Equal(t, b.notices(t), []string{"pricing.rate_plan.published.v1 2", "search_aggregation.listing.indexed.v1 2"})
	for name, bad := range map[string][]string{"six days": week[:6], "a free night": append(week[:6:6], "0")} {
		t.Run(name, func(t *testing.T) {
			check.Equal(t, f.Post(path, body{"weekdayMicro": bad}).Code(), "GENERAL.VALIDATION_FAILED")
		})
	}
	f.Post("/sandbox/pricing/v1/rate-plans/"+id.New[id.RatePlan]().String()+"/publish", body{"weekdayMicro": week}).Want(t, http.StatusNotFound)
}
