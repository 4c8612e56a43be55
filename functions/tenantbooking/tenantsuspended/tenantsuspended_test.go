package tenantsuspended_test

import (
	"testing"
	"time"

	"melmastoon.ghasi.io/functions/tenantbooking/internal/hotel"
	"melmastoon.ghasi.io/functions/tenantbooking/tenantbookingtest"
	"melmastoon.ghasi.io/functions/tenantbooking/tenantreinstated"
	"melmastoon.ghasi.io/functions/tenantbooking/tenantsuspended"
	"melmastoon.ghasi.io/shared/testkit/check"
)

// suspended reports whether the tenant is suspended.
func suspended(t *testing.T, tenants *hotel.Tenants, slug string) bool {
	t.Helper()
	found, err := tenants.Find(t.Context(), slug)
	check.Must(t, err)
	return found.Suspended()
}

func TestTenantSuspended_anyOrder(t *testing.T) {
	t.Parallel()
	const closed, open = true, false
	type delivered struct {
		suspended bool
		at        time.Duration
	}
	for _, test := range []struct {
		name   string
		events []delivered
		down   bool // the tenant service is unavailable
		want   bool
	}{
		{"suspended", []delivered{{closed, 0}}, true, closed},
		{"suspended_then_reinstated", []delivered{{closed, 0}, {open, time.Minute}}, true, open},
		{"older_reinstatement_late", []delivered{{closed, time.Minute}, {open, 0}}, true, closed},
		{"older_suspension_late", []delivered{{open, time.Minute}, {closed, 0}}, true, open},
		{"each_event_twice", []delivered{{closed, 0}, {open, time.Minute}, {closed, 0}, {open, time.Minute}}, true, open},
		{"suspended_again", []delivered{{closed, 0}, {open, time.Minute}, {closed, 2 * time.Minute}, {open, time.Minute}}, true, closed},
		{"tenant_service_behind", []delivered{{closed, 0}}, false, closed},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			system, _ := tenantbookingtest.BuildWithHotels(t, tenantsuspended.Function, tenantreinstated.Function)
			tenants, tenant := hotel.OpenTenants(system.Env), system.Platform.Tenants[0]
			check.MustEqual(t, suspended(t, tenants, tenant.Slug), false, "before the events: suspended")
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
			check.Equal(t, suspended(t, tenants, tenant.Slug), test.want)
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
		event bool // the last delivered event suspends
		down  bool // the tenant service is unavailable
		until time.Duration
	}{
		{"suspended", false, false, 5 * time.Minute},
		{"reinstated", true, false, 5 * time.Minute},
		{"tenant_service_down", true, true, 15 * time.Minute},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			system, _ := tenantbookingtest.BuildWithHotels(t, tenantsuspended.Function, tenantreinstated.Function)
			tenants, tenant := hotel.OpenTenants(system.Env), system.Platform.Tenants[0]
			verify := func(want bool) {
				t.Helper()
				check.Equal(t, suspended(t, tenants, tenant.Slug), want)
			}
			status := map[bool]string{true: "suspended", false: "active"}
			system.Platform.Change(func() { system.Platform.Tenants[0].Status = status[!test.event] })
			verify(!test.event)
			if test.down {
				system.Platform.Change(func() { system.Platform.Down = "tenant" })
			}
			now := system.Env.Now()
			for _, when := range []time.Time{now, now.AddDate(1, 0, 0)} {
				if test.event == when.Equal(now) { // the event with the wrong time says the opposite
					system.Deliver(tenantsuspended.Function, tenant.ID, map[string]any{"tenantId": tenant.ID, "reason": "unpaid", "suspendedAt": when}, when)
				} else {
					system.Deliver(tenantreinstated.Function, tenant.ID, map[string]any{"tenantId": tenant.ID, "reinstatedAt": when}, when)
				}
			}
			verify(test.event)
			system.Env.Advance(test.until - 10*time.Second)
			verify(test.event)
			system.Env.Advance(11 * time.Second)
			verify(!test.event)
		})
	}
}
