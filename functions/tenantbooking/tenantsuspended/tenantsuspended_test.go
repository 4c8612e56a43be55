package tenantsuspended_test

import (
	"testing"
	"time"

	"melmastoon.ghasi.io/functions/tenantbooking/internal/hotel"
	"melmastoon.ghasi.io/functions/tenantbooking/tenantbookingtest"
	"melmastoon.ghasi.io/functions/tenantbooking/tenantreinstated"
	"melmastoon.ghasi.io/functions/tenantbooking/tenantsuspended"
)

func TestHandle_anyOrder(t *testing.T) {
	t.Parallel()
	const closed, open = true, false
	type heard struct {
		suspended bool
		at        time.Duration
	}
	for _, test := range []struct {
		name   string
		events []heard
		down   bool // the tenant service is unavailable
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
			system, _ := tenantbookingtest.BuildWithHotels(t, tenantsuspended.Function, tenantreinstated.Function)
			tenants, tenant := hotel.OpenTenants(system.Env), system.Platform.Tenants[0]
			if found, err := tenants.Find(t.Context(), tenant.Slug); err != nil || found.Suspended() {
				t.Fatalf("at first: %+v, %v", found, err)
			}
			if test.down {
				system.Platform.Change(func() { system.Platform.Down = "tenant" })
			}
			begin := system.Env.Now()
			for _, h := range test.events {
				if when := begin.Add(h.at); h.suspended {
					system.Deliver(tenantsuspended.Function, tenant.ID, map[string]any{"tenantId": tenant.ID, "reason": "unpaid", "suspendedAt": when}, when)
				} else {
					system.Deliver(tenantreinstated.Function, tenant.ID, map[string]any{"tenantId": tenant.ID, "reinstatedAt": when}, when)
				}
			}
			found, err := tenants.Find(t.Context(), tenant.Slug)
			if err != nil || found.Suspended() != test.want {
				t.Errorf("suspended: %v, %v; want %v", found.Suspended(), err, test.want)
			}
			if other, err := tenants.Find(t.Context(), system.Platform.Tenants[1].Slug); err == nil && other.Suspended() {
				t.Error("another hotel is suspended too")
			}
		})
	}
}

// The bus loses the last event about a tenant, or delivers an event with a wrong time. Five minutes after the last event
// the tenant service's answer counts; while that service is unavailable, the event counts for fifteen minutes.
func TestStatus_eventLost(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name  string
		heard bool // the last delivered event suspends
		down  bool // the tenant service is unavailable
		until time.Duration
	}{
		{"suspended", false, false, 5 * time.Minute},
		{"reinstated", true, false, 5 * time.Minute},
		{"the tenant service is down", true, true, 15 * time.Minute},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			system, _ := tenantbookingtest.BuildWithHotels(t, tenantsuspended.Function, tenantreinstated.Function)
			tenants, tenant := hotel.OpenTenants(system.Env), system.Platform.Tenants[0]
			check := func(want bool) {
				t.Helper()
				found, err := tenants.Find(t.Context(), tenant.Slug)
				if err != nil || found.Suspended() != want {
					t.Errorf("suspended: %v, %v; want %v", found.Suspended(), err, want)
				}
			}
			status := map[bool]string{true: "suspended", false: "active"}
			system.Platform.Change(func() { system.Platform.Tenants[0].Status = status[!test.heard] })
			check(!test.heard)
			if test.down {
				system.Platform.Change(func() { system.Platform.Down = "tenant" })
			}
			now := system.Env.Now()
			for _, when := range []time.Time{now, now.AddDate(1, 0, 0)} {
				if test.heard == when.Equal(now) { // the event with the wrong time says the opposite
					system.Deliver(tenantsuspended.Function, tenant.ID, map[string]any{"tenantId": tenant.ID, "reason": "unpaid", "suspendedAt": when}, when)
				} else {
					system.Deliver(tenantreinstated.Function, tenant.ID, map[string]any{"tenantId": tenant.ID, "reinstatedAt": when}, when)
				}
			}
			check(test.heard)
			system.Env.Advance(test.until - 10*time.Second)
			check(test.heard)
			system.Env.Advance(11 * time.Second)
			check(!test.heard)
		})
	}
}
