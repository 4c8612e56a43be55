package configupdated_test

import (
	"testing"

	"melmastoon.ghasi.io/functions/tenantbooking/configupdated"
	"melmastoon.ghasi.io/functions/tenantbooking/internal/hotel"
	"melmastoon.ghasi.io/functions/tenantbooking/tenantbookingtest"
	"melmastoon.ghasi.io/shared/testkit/check"
)

func TestConfigUpdated_invalidatesTenant(t *testing.T) {
	t.Parallel()
	system, _ := tenantbookingtest.BuildWithHotels(t, configupdated.Function)
	tenants, slug := hotel.OpenTenants(system.Env), system.Platform.Tenants[0].Slug
	before := find(t, tenants, slug)
	system.Platform.Change(func() { system.Platform.Tenants[0].BrandName, system.Platform.Tenants[0].ConfigVersion = "New", 2 })
	check.Equal(t, find(t, tenants, slug).BrandName, before.BrandName, "without an event: the name")
	system.Deliver(configupdated.Function, before.ID,
		map[string]any{"tenantId": before.ID, "configVersion": 2, "changedKeys": []string{"brandName"}, "updatedAt": system.Env.Now()}, system.Env.Now())
	check.Equal(t, find(t, tenants, slug).BrandName, "New", "after the event: the name")
}

// find returns the tenant with that slug.
func find(t *testing.T, tenants *hotel.Tenants, slug string) hotel.Tenant {
	t.Helper()
	found, err := tenants.Find(t.Context(), slug)
	check.Must(t, err)
	return found
}

func TestConfigUpdated_movedSlug(t *testing.T) {
	t.Parallel()
	system, _ := tenantbookingtest.BuildWithHotels(t, configupdated.Function)
	tenants := hotel.OpenTenants(system.Env)
	first := find(t, tenants, "kabul-grand")
	system.Platform.Change(func() {
		system.Platform.Tenants[0].Slug, system.Platform.Tenants[1].Slug = "kabul-old", "kabul-grand"
	})
	system.Deliver(configupdated.Function, first.ID,
		map[string]any{"tenantId": first.ID, "configVersion": 2, "changedKeys": []string{"slug"}, "updatedAt": system.Env.Now()}, system.Env.Now())
	for range 2 {
		check.Equal(t, find(t, tenants, "kabul-grand").ID, system.Platform.Tenants[1].ID)
	}
}
