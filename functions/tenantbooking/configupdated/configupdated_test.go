package configupdated_test

import (
	"testing"

	"melmastoon.ghasi.io/functions/tenantbooking/configupdated"
	"melmastoon.ghasi.io/functions/tenantbooking/internal/hotel"
	"melmastoon.ghasi.io/functions/tenantbooking/tenantbookingtest"
)

func TestHandle_invalidatesTenant(t *testing.T) {
	t.Parallel()
	street, _ := tenantbookingtest.Shopping(t, configupdated.Function)
	tenants, slug := hotel.OpenTenants(street.Env), street.Town.Tenants[0].Slug
	before, err := tenants.Find(t.Context(), slug)
	if err != nil {
		t.Fatal(err)
	}
	street.Town.Do(func() { street.Town.Tenants[0].BrandName, street.Town.Tenants[0].ConfigVersion = "New", 2 })
	if still, err := tenants.Find(t.Context(), slug); err != nil || still.BrandName != before.BrandName {
		t.Errorf("changed without an event: %q: %v", still.BrandName, err)
	}
	street.Tell(configupdated.Function, before.ID,
		map[string]any{"tenantId": before.ID, "configVersion": 2, "changedKeys": []string{"brandName"}, "updatedAt": street.Env.Now()}, street.Env.Now())
	if after, err := tenants.Find(t.Context(), slug); err != nil || after.BrandName != "New" {
		t.Errorf("it is %q: %v", after.BrandName, err)
	}
}

func TestFind_movedName(t *testing.T) {
	t.Parallel()
	street, _ := tenantbookingtest.Shopping(t, configupdated.Function)
	tenants := hotel.OpenTenants(street.Env)
	first, err := tenants.Find(t.Context(), "kabul-grand")
	if err != nil {
		t.Fatal(err)
	}
	street.Town.Do(func() {
		street.Town.Tenants[0].Slug, street.Town.Tenants[1].Slug = "kabul-old", "kabul-grand"
	})
	street.Tell(configupdated.Function, first.ID,
		map[string]any{"tenantId": first.ID, "configVersion": 2, "changedKeys": []string{"slug"}, "updatedAt": street.Env.Now()}, street.Env.Now())
	for range 2 {
		if found, err := tenants.Find(t.Context(), "kabul-grand"); err != nil || found.ID != street.Town.Tenants[1].ID {
			t.Errorf("it leads to %v: %v", found.ID, err)
		}
	}
}
