package sandbox_test

import (
	"encoding/base64"
	"encoding/xml"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"melmastoon.ghasi.io/functions/sandbox"
	"melmastoon.ghasi.io/functions/sandbox/demo"
	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/id"
)

func TestTenants_Get(t *testing.T) {
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

func TestProperties_List(t *testing.T) {
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

func TestProperties_languages(t *testing.T) {
	t.Parallel()
	b := open(t)
	f := b.front(t)
	var hotel sandbox.Property
	f.Get("/sandbox/property/v1/properties/"+kabul.Property.String()).Into(t, &hotel)
	pictures := slices.Clone(hotel.Photos)
	for _, r := range hotel.RoomTypes {
		pictures = append(pictures, r.Photos...)
		if len(r.Photos) == 0 || r.Localized["ps-AF"].Name == "" || r.Localized["fa-AF"].Description == "" {
			t.Errorf("%s is not shown in Pashto and Dari: %+v", r.Name, r.Localized)
		}
	}
	seen := map[string]bool{}
	for _, p := range pictures {
		text, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(p.URL, "data:image/svg+xml;base64,"))
		if err != nil || seen[p.URL] || p.Alt.Default == "" {
			t.Errorf("a picture of %s: %v, the same as another: %t", p.Alt.Default, err, seen[p.URL])
		}
		seen[p.URL] = true
		for d := xml.NewDecoder(strings.NewReader(string(text))); ; {
			if _, err := d.Token(); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatalf("not XML: %v in %s", err, text)
			}
		}
	}
	var list struct {
		Policies []sandbox.HouseRule `json:"policies"`
	}
	f.Get("/sandbox/property/v1/policies?tenantId="+kabul.Tenant.String()).Into(t, &list)
	if len(list.Policies) < 3 || list.Policies[0].Title.Localized["ps-AF"] == "" || list.Policies[0].Property != kabul.Property {
		t.Errorf("policies %+v", list.Policies)
	}
}
