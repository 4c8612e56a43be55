package sandbox_test

import (
	"encoding/base64"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"melmastoon.ghasi.io/functions/demo/sandbox/demo"
	"melmastoon.ghasi.io/functions/demo/sandbox/internal/directory"
	"melmastoon.ghasi.io/functions/demo/sandbox/internal/standin"
	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/testkit/check"
	"melmastoon.ghasi.io/shared/testkit/fntest"
)

func TestTenants_Get(t *testing.T) {
	t.Parallel()
	b := open(t)
	tenants := directory.OpenTenants(b.env)
	for _, ref := range []string{kabul.Tenant.String(), kabul.Slug, kabul.Domain, "KABUL-GRAND.example"} {
		t.Run(ref, func(t *testing.T) {
			got, err := tenants.Get(t.Context(), ref)
			check.Must(t, err)
			check.Equal(t, got.ID, kabul.Tenant)
			check.Equal(t, got.Settings.HoldTTLSeconds, 600)
		})
	}
	for _, ref := range []string{id.New[id.Tenant]().String(), "nowhere", ""} {
		t.Run(fmt.Sprintf("%q", ref), func(t *testing.T) {
			check.Got(tenants.Get(t.Context(), ref)).Error(t, standin.ErrTenantUnknown, "%q", ref)
		})
	}
}

func TestProperties_List(t *testing.T) {
	t.Parallel()
	b := open(t)
	properties := directory.OpenProperties(b.env)
	for _, hotel := range []demo.Hotel{demo.KabulGrand, demo.HeratGarden} {
		t.Run(hotel.Slug, func(t *testing.T) {
			all, err := properties.List(t.Context(), hotel.Tenant)
			check.Must(t, err)
			check.MustEqual(t, len(all), 1)
			check.Equal(t, all[0].ID, hotel.Property)
			check.Equal(t, len(all[0].RoomTypes), len(hotel.Rooms))
			check.Equal(t, len(all[0].RatePlans), 2*len(hotel.Rooms))
		})
	}
	check.Got(properties.Get(t.Context(), id.New[id.Property]())).Error(t, fault.ErrNotFound, "no such property")
}

func TestProperties_languages(t *testing.T) {
	t.Parallel()
	b := open(t)
	f := b.front(t)
	hotel := fntest.Read[directory.Property](t, f.Get("/sandbox/property/v1/properties/"+kabul.Property.String()))
	pictures := slices.Clone(hotel.Photos)
	for _, r := range hotel.RoomTypes {
		pictures = append(pictures, r.Photos...)
		check.NotEqual(t, len(r.Photos), 0, "%s", r.Name)
		check.NotEqual(t, r.Localized["ps-AF"].Name, "", "%s", r.Name)
		check.NotEqual(t, r.Localized["fa-AF"].Description, "", "%s", r.Name)
	}
	seen := map[string]bool{}
	for _, p := range pictures {
		text, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(p.URL, "data:image/svg+xml;base64,"))
		check.Must(t, err)
		if seen[p.URL] {
			t.Errorf("the photo %s occurs twice", p.Alt.Default)
		}
		check.NotEqual(t, p.Alt.Default, "")
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
		Policies []directory.HouseRule `json:"policies"`
	}
	f.Get("/sandbox/property/v1/policies?tenantId="+kabul.Tenant.String()).Into(t, &list)
	if len(list.Policies) < 3 {
		t.Fatalf("len(list.Policies) = %d, want at least 3", len(list.Policies))
	}
	check.NotEqual(t, list.Policies[0].Title.Localized["ps-AF"], "")
	check.Equal(t, list.Policies[0].Property, kabul.Property)
}
