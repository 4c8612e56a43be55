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
)

func TestTenants_Get(t *testing.T) {
	t.Parallel()
	b := open(t)
	tenants := directory.OpenTenants(b.env)
	for _, ref := range []string{kabul.Tenant.String(), kabul.Slug, kabul.Domain, "KABUL-GRAND.example"} {
		t.Run(ref, func(t *testing.T) {
			got, err := tenants.Get(t.Context(), ref)
			if err != nil {
				t.Fatal(err)
			}
			if got.ID != kabul.Tenant {
				t.Errorf("got.ID = %v, want %v", got.ID, kabul.Tenant)
			}
			if got.Settings.HoldTTLSeconds != 600 {
				t.Errorf("got.Settings.HoldTTLSeconds = %d, want 600", got.Settings.HoldTTLSeconds)
			}
		})
	}
	for _, ref := range []string{id.New[id.Tenant]().String(), "nowhere", ""} {
		t.Run(fmt.Sprintf("%q", ref), func(t *testing.T) {
			if _, err := tenants.Get(t.Context(), ref); !errors.Is(err, standin.ErrTenantUnknown) {
				t.Errorf("%q: %v, want ErrTenantUnknown", ref, err)
			}
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
			if err != nil {
				t.Fatal(err)
			}
			if len(all) != 1 {
				t.Fatalf("len(all) = %d, want 1", len(all))
			}
			if all[0].ID != hotel.Property {
				t.Errorf("all[0].ID = %v, want %v", all[0].ID, hotel.Property)
			}
			if len(all[0].RoomTypes) != len(hotel.Rooms) {
				t.Errorf("len(all[0].RoomTypes) = %d, want %d", len(all[0].RoomTypes), len(hotel.Rooms))
			}
			if len(all[0].RatePlans) != 2*len(hotel.Rooms) {
				t.Errorf("len(all[0].RatePlans) = %d, want %d", len(all[0].RatePlans), 2*len(hotel.Rooms))
			}
		})
	}
	if _, err := properties.Get(t.Context(), id.New[id.Property]()); !errors.Is(err, fault.ErrNotFound) {
		t.Errorf("no such property: %v, want ErrNotFound", err)
	}
}

func TestProperties_languages(t *testing.T) {
	t.Parallel()
	b := open(t)
	f := b.front(t)
	var hotel directory.Property
	f.Get("/sandbox/property/v1/properties/"+kabul.Property.String()).Into(t, &hotel)
	pictures := slices.Clone(hotel.Photos)
	for _, r := range hotel.RoomTypes {
		pictures = append(pictures, r.Photos...)
		if len(r.Photos) == 0 {
			t.Errorf("%s: len(r.Photos) = %d, want more than 0", r.Name, len(r.Photos))
		}
		if r.Localized["ps-AF"].Name == "" {
			t.Errorf(`%s: r.Localized["ps-AF"].Name is empty`, r.Name)
		}
		if r.Localized["fa-AF"].Description == "" {
			t.Errorf(`%s: r.Localized["fa-AF"].Description is empty`, r.Name)
		}
	}
	seen := map[string]bool{}
	for _, p := range pictures {
		text, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(p.URL, "data:image/svg+xml;base64,"))
		if err != nil {
			t.Fatal(err)
		}
		if seen[p.URL] {
			t.Errorf("the photo %s occurs twice", p.Alt.Default)
		}
		if p.Alt.Default == "" {
			t.Error("p.Alt.Default is empty")
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
		Policies []directory.HouseRule `json:"policies"`
	}
	f.Get("/sandbox/property/v1/policies?tenantId="+kabul.Tenant.String()).Into(t, &list)
	if len(list.Policies) < 3 {
		t.Fatalf("len(list.Policies) = %d, want at least 3", len(list.Policies))
	}
	if list.Policies[0].Title.Localized["ps-AF"] == "" {
		t.Error(`list.Policies[0].Title.Localized["ps-AF"] is empty`)
	}
	if list.Policies[0].Property != kabul.Property {
		t.Errorf("list.Policies[0].Property = %v, want %v", list.Policies[0].Property, kabul.Property)
	}
}
