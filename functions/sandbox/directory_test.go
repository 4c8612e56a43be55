package sandbox_test

import (
	"errors"
	"testing"

	"melmastoon.ghasi.io/functions/sandbox"
	"melmastoon.ghasi.io/functions/sandbox/demo"
	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/id"
)

func TestATenantIsFoundByEachOfItsNames(t *testing.T) {
	t.Parallel()
	b := open(t)
	tenants := sandbox.OpenTenants(b.env)
	for _, ref := range []string{kabul.Tenant.String(), kabul.Slug, kabul.Domain, "KABUL-GRAND.example"} {
		got, err := tenants.Get(t.Context(), ref)
		if err != nil || got.ID != kabul.Tenant || got.Settings.HoldTTLSeconds != 600 {
			t.Errorf("%s: %+v, %v", ref, got, err)
		}
	}
	for _, ref := range []string{id.New[id.Tenant]().String(), "nowhere", ""} {
		if _, err := tenants.Get(t.Context(), ref); !errors.Is(err, sandbox.ErrTenantUnknown) {
			t.Errorf("%q: %v, want ErrTenantUnknown", ref, err)
		}
	}
}

func TestPropertiesAreListedPerTenant(t *testing.T) {
	t.Parallel()
	b := open(t)
	properties := sandbox.OpenProperties(b.env)
	for _, hotel := range []demo.Hotel{demo.KabulGrand, demo.HeratGarden} {
		all, err := properties.List(t.Context(), hotel.Tenant)
		if err != nil || len(all) != 1 || all[0].ID != hotel.Property || len(all[0].RoomTypes) != len(hotel.Rooms) || len(all[0].RatePlans) != 2*len(hotel.Rooms) {
			t.Errorf("%s: %+v, %v", hotel.Slug, all, err)
		}
	}
	if _, err := properties.Get(t.Context(), id.New[id.Property]()); !errors.Is(err, fault.ErrNotFound) {
		t.Errorf("no such property: %v, want ErrNotFound", err)
	}
}
