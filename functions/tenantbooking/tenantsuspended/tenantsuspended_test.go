package tenantsuspended_test

import (
	"testing"
	"time"

	"melmastoon.ghasi.io/functions/tenantbooking"
	"melmastoon.ghasi.io/functions/tenantbooking/tenantbookingtest"
	"melmastoon.ghasi.io/functions/tenantbooking/tenantreinstated"
	"melmastoon.ghasi.io/functions/tenantbooking/tenantsuspended"
)

func TestWhatOccurredLastDecidesInWhateverOrderItIsHeard(t *testing.T) {
	t.Parallel()
	const closed, open = true, false
	type heard struct {
		suspended bool
		at        time.Duration
	}
	for _, test := range []struct {
		name   string
		events []heard
		down   bool // the tenant service cannot be asked
		want   bool
	}{
		{"suspended", []heard{{closed, 0}}, true, closed},
		{"suspended, then reinstated", []heard{{closed, 0}, {open, time.Minute}}, true, open},
		{"an older reinstatement comes late", []heard{{closed, time.Minute}, {open, 0}}, true, closed},
		{"an older suspension comes late", []heard{{open, time.Minute}, {closed, 0}}, true, open},
		{"each is heard twice", []heard{{closed, 0}, {open, time.Minute}, {closed, 0}, {open, time.Minute}}, true, open},
		{"suspended again", []heard{{closed, 0}, {open, time.Minute}, {closed, 2 * time.Minute}, {open, time.Minute}}, true, closed},
		{"the tenant service still says otherwise", []heard{{closed, 0}}, false, closed},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			street, _ := tenantbookingtest.Shopping(t, tenantsuspended.Function, tenantreinstated.Function)
			tenants, tenant := tenantbooking.OpenTenants(street.Env), street.Town.Tenants[0]
			if found, err := tenants.Find(t.Context(), tenant.Slug); err != nil || found.Suspended() {
				t.Fatalf("at first: %+v, %v", found, err)
			}
			if test.down {
				street.Town.Do(func() { street.Town.Down = "tenant" })
			}
			begin := street.Env.Now()
			for _, h := range test.events {
				if when := begin.Add(h.at); h.suspended {
					street.Tell(tenantsuspended.Function, tenant.ID, map[string]any{"tenantId": tenant.ID, "reason": "unpaid", "suspendedAt": when}, when)
				} else {
					street.Tell(tenantreinstated.Function, tenant.ID, map[string]any{"tenantId": tenant.ID, "reinstatedAt": when}, when)
				}
			}
			found, err := tenants.Find(t.Context(), tenant.Slug)
			if err != nil || found.Suspended() != test.want {
				t.Errorf("suspended: %v, %v; want %v", found.Suspended(), err, test.want)
			}
			if other, err := tenants.Find(t.Context(), street.Town.Tenants[1].Slug); err == nil && other.Suspended() {
				t.Error("another hotel is suspended too")
			}
		})
	}
}
