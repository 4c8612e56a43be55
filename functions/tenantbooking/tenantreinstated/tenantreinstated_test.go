package tenantreinstated_test

import (
	"testing"

	"melmastoon.ghasi.io/functions/tenantbooking"
	"melmastoon.ghasi.io/functions/tenantbooking/tenantbookingtest"
	"melmastoon.ghasi.io/functions/tenantbooking/tenantreinstated"
)

func TestAReinstatedHotelIsOpenBeforeItsEntryIsOld(t *testing.T) {
	t.Parallel()
	street, _ := tenantbookingtest.Shopping(t, tenantreinstated.Function)
	street.Town.Do(func() { street.Town.Tenants[0].Status = "suspended" })
	tenants, tenant := tenantbooking.OpenTenants(street.Env), street.Town.Tenants[0]
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
