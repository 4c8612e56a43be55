package minthandoff

import (
	"slices"
	"testing"
	"time"

	"melmastoon.ghasi.io/functions/consumer/consumertest"
	"melmastoon.ghasi.io/functions/consumer/internal/search"
	"melmastoon.ghasi.io/functions/consumer/readhotel"
	consumersearch "melmastoon.ghasi.io/functions/consumer/search"
	"melmastoon.ghasi.io/functions/consumer/tenantreinstated"
	"melmastoon.ghasi.io/functions/consumer/tenantsuspended"
	"melmastoon.ghasi.io/shared/testkit/check"
)

// The bus loses the last event about a tenant. Five minutes later handoff and detail follow the tenant service.
func TestStatus_eventLost(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name      string
		delivered []bool // whether each event that arrives suspends, a minute apart
		suspended bool   // what the tenant service says
	}{
		{name: "suspended", delivered: []bool{true, false}, suspended: true},
		{name: "reinstated", delivered: []bool{true}, suspended: false},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			m := consumertest.OpenSystem(t, 1, Function, readhotel.Function, consumersearch.Function, tenantsuspended.Function, tenantreinstated.Function)
			v, hotel := m.Traveller(), m.Hotels[0]
			open := func(want bool) {
				t.Helper()
				mint, detail := 201, 200
				if !want {
					mint, detail = 403, 404
				}
				v.Must(mint, "POST", handoffPath(hotel), requestBody(m))
				v.Must(detail, "GET", "/hotels/"+hotel.Property.String(), nil)
			}
			open(true)
			for _, suspends := range test.delivered {
				m.DB.Advance(time.Minute)
				now := m.Env.Now()
				m.Do(func() { m.Hotels[0].Suspended = suspends })
				if suspends {
					m.Deliver(tenantsuspended.Function, hotel.Tenant, map[string]any{"tenantId": hotel.Tenant, "reason": "unpaid", "suspendedAt": now}, now)
				} else {
					m.Deliver(tenantreinstated.Function, hotel.Tenant, map[string]any{"tenantId": hotel.Tenant, "reinstatedAt": now}, now)
				}
				open(!suspends)
			}
			m.Do(func() { m.Hotels[0].Suspended = test.suspended })
			m.DB.Advance(4*time.Minute + 50*time.Second)
			open(test.suspended) // the last event still decides
			m.DB.Advance(11 * time.Second)
			open(!test.suspended)
			shown := func() bool {
				var page struct {
					Results []search.ListingCard `json:"results"`
				}
				v.Must(200, "POST", "/search", m.SearchBody()).Into(t, &page)
				return slices.ContainsFunc(page.Results, func(c search.ListingCard) bool { return c.Tenant == hotel.Tenant })
			}
			check.NotEqual(t, shown(), test.delivered[len(test.delivered)-1], "after 5 minutes shown in a list")
			m.DB.Advance(10 * time.Minute)
			if !shown() { // the search service of this test leaves no hotel out
				t.Error("after 15 minutes the event still counts for lists")
			}
		})
	}
}
