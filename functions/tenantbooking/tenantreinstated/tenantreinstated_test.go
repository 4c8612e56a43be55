package tenantreinstated_test

import (
	"testing"
	"time"

	"melmastoon.ghasi.io/functions/tenantbooking/internal/hotel"
	"melmastoon.ghasi.io/functions/tenantbooking/tenantbookingtest"
	"melmastoon.ghasi.io/functions/tenantbooking/tenantreinstated"
	"melmastoon.ghasi.io/functions/tenantbooking/tenantsuspended"
)

func TestHandle_reinstated(t *testing.T) {
	t.Parallel()
	system, _ := tenantbookingtest.BuildWithHotels(t, tenantreinstated.Function)
	system.Platform.Change(func() { system.Platform.Tenants[0].Status = "suspended" })
	tenants, tenant := hotel.OpenTenants(system.Env), system.Platform.Tenants[0]
	if found, err := tenants.Find(t.Context(), tenant.Slug); err != nil || !found.Suspended() {
		t.Fatalf("at first: %+v, %v", found, err)
	}
	system.Platform.Change(func() { system.Platform.Tenants[0].Status = "active" })
	now := system.Env.Now()
	system.Deliver(tenantreinstated.Function, tenant.ID, map[string]any{"tenantId": tenant.ID, "reinstatedAt": now}, now)
	if found, err := tenants.Find(t.Context(), tenant.Slug); err != nil || found.Suspended() {
		t.Errorf("still suspended: %v", err)
	}
}

// A dead-lettered event is delivered days late. The stored status has expired by then, but the tenant service knows that
// the hotel was suspended since.
func TestHandle_lateEvent(t *testing.T) {
	t.Parallel()
	system, _ := tenantbookingtest.BuildWithHotels(t, tenantreinstated.Function, tenantsuspended.Function)
	tenants, tenant := hotel.OpenTenants(system.Env), system.Platform.Tenants[0]
	system.Platform.Change(func() { system.Platform.Tenants[0].Status = "suspended" })
	since := system.Env.Now()
	before := since.Add(-time.Hour)
	system.Deliver(tenantsuspended.Function, tenant.ID, map[string]any{"tenantId": tenant.ID, "reason": "unpaid", "suspendedAt": since}, since)
	for _, later := range []time.Duration{0, 2 * time.Hour, 48 * time.Hour} {
		system.Env.Advance(later)
		system.Deliver(tenantreinstated.Function, tenant.ID, map[string]any{"tenantId": tenant.ID, "reinstatedAt": before}, before)
		if found, err := tenants.Find(t.Context(), tenant.Slug); err != nil || !found.Suspended() {
			t.Errorf("%v later: open, %v", later, err)
		}
	}
}
