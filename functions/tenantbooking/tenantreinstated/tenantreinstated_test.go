package tenantreinstated_test

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

func TestTenantReinstated_reopensSite(t *testing.T) {
	t.Parallel()
	system, _ := tenantbookingtest.BuildWithHotels(t, tenantreinstated.Function)
	system.Platform.Change(func() { system.Platform.Tenants[0].Status = "suspended" })
	tenants, tenant := hotel.OpenTenants(system.Env), system.Platform.Tenants[0]
	check.MustEqual(t, suspended(t, tenants, tenant.Slug), true, "before the event: not suspended")
	system.Platform.Change(func() { system.Platform.Tenants[0].Status = "active" })
	now := system.Env.Now()
	system.Deliver(tenantreinstated.Function, tenant.ID, map[string]any{"tenantId": tenant.ID, "reinstatedAt": now}, now)
	check.Equal(t, suspended(t, tenants, tenant.Slug), false, "after the event: still suspended")
}

// A dead-lettered event is delivered days late. The stored status has expired by then, but the tenant service knows that
// the hotel was suspended since.
func TestTenantReinstated_lateEvent(t *testing.T) {
	t.Parallel()
	system, _ := tenantbookingtest.BuildWithHotels(t, tenantreinstated.Function, tenantsuspended.Function)
	tenants, tenant := hotel.OpenTenants(system.Env), system.Platform.Tenants[0]
	system.Platform.Change(func() { system.Platform.Tenants[0].Status = "suspended" })
	since := system.Env.Now()
	before := since.Add(-time.Hour)
	system.Deliver(tenantsuspended.Function, tenant.ID, map[string]any{"tenantId": tenant.ID, "reason": "unpaid", "suspendedAt": since}, since)
	for _, later := range []time.Duration{0, 2 * time.Hour, 48 * time.Hour} {
		t.Run("delivered "+later.String()+" later", func(t *testing.T) {
			system.Env.Advance(later)
			system.Deliver(tenantreinstated.Function, tenant.ID, map[string]any{"tenantId": tenant.ID, "reinstatedAt": before}, before)
			check.Equal(t, suspended(t, tenants, tenant.Slug), true)
		})
	}
}
