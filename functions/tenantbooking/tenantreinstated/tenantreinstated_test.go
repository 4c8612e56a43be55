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
	street, _ := tenantbookingtest.Shopping(t, tenantreinstated.Function)
	street.Town.Do(func() { street.Town.Tenants[0].Status = "suspended" })
	tenants, tenant := hotel.OpenTenants(street.Env), street.Town.Tenants[0]
	if found, err := tenants.Find(t.Context(), tenant.Slug); err != nil || !found.Suspended() {
		t.Fatalf("at first: %+v, %v", found, err)
	}
	street.Town.Do(func() { street.Town.Tenants[0].Status = "active" })
	now := street.Env.Now()
	street.Tell(tenantreinstated.Function, tenant.ID, map[string]any{"tenantId": tenant.ID, "reinstatedAt": now}, now)
	if found, err := tenants.Find(t.Context(), tenant.Slug); err != nil || found.Suspended() {
		t.Errorf("still suspended: %v", err)
	}
}

// A dead-lettered event is delivered days late. The stored status has expired by then, but the tenant service knows that
// the hotel was suspended since.
func TestHandle_lateEvent(t *testing.T) {
	t.Parallel()
	street, _ := tenantbookingtest.Shopping(t, tenantreinstated.Function, tenantsuspended.Function)
	tenants, tenant := hotel.OpenTenants(street.Env), street.Town.Tenants[0]
	street.Town.Do(func() { street.Town.Tenants[0].Status = "suspended" })
	since := street.Env.Now()
	before := since.Add(-time.Hour)
	street.Tell(tenantsuspended.Function, tenant.ID, map[string]any{"tenantId": tenant.ID, "reason": "unpaid", "suspendedAt": since}, since)
	for _, later := range []time.Duration{0, 2 * time.Hour, 48 * time.Hour} {
		street.Env.Advance(later)
		street.Tell(tenantreinstated.Function, tenant.ID, map[string]any{"tenantId": tenant.ID, "reinstatedAt": before}, before)
		if found, err := tenants.Find(t.Context(), tenant.Slug); err != nil || !found.Suspended() {
			t.Errorf("%v later: open, %v", later, err)
		}
	}
}
