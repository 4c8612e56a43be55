package configupdated_test

import (
	"testing"

	"melmastoon.ghasi.io/functions/tenantbooking/configupdated"
	"melmastoon.ghasi.io/functions/tenantbooking/internal/hotel"
	"melmastoon.ghasi.io/functions/tenantbooking/tenantbookingtest"
)

func TestHandle_invalidatesTenant(t *testing.T) {
	t.Parallel()
	system, _ := tenantbookingtest.BuildWithHotels(t, configupdated.Function)
	tenants, slug := hotel.OpenTenants(system.Env), system.Platform.Tenants[0].Slug
	before, err := tenants.Find(t.Context(), slug)
	if err != nil {
		t.Fatal(err)
	}
	system.Platform.Change(func() { system.Platform.Tenants[0].BrandName, system.Platform.Tenants[0].ConfigVersion = "New", 2 })
	if still, err := tenants.Find(t.Context(), slug); err != nil || still.BrandName != before.BrandName {
		t.Errorf("changed without an event: %q: %v", still.BrandName, err)
	}
	system.Deliver(configupdated.Function, before.ID,
		map[string]any{"tenantId": before.ID, "configVersion": 2, "changedKeys": []string{"brandName"}, "updatedAt": system.Env.Now()}, system.Env.Now())
	if after, err := tenants.Find(t.Context(), slug); err != nil || after.BrandName != "New" {
		t.Errorf("it is %q: %v", after.BrandName, err)
	}
}

func TestFind_movedName(t *testing.T) {
	t.Parallel()
	system, _ := tenantbookingtest.BuildWithHotels(t, configupdated.Function)
	tenants := hotel.OpenTenants(system.Env)
	first, err := tenants.Find(t.Context(), "kabul-grand")
	if err != nil {
		t.Fatal(err)
	}
	system.Platform.Change(func() {
		system.Platform.Tenants[0].Slug, system.Platform.Tenants[1].Slug = "kabul-old", "kabul-grand"
	})
	system.Deliver(configupdated.Function, first.ID,
		map[string]any{"tenantId": first.ID, "configVersion": 2, "changedKeys": []string{"slug"}, "updatedAt": system.Env.Now()}, system.Env.Now())
	for range 2 {
		if found, err := tenants.Find(t.Context(), "kabul-grand"); err != nil || found.ID != system.Platform.Tenants[1].ID {
			t.Errorf("it leads to %v: %v", found.ID, err)
		}
	}
}
