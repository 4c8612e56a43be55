package searchmap

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"melmastoon.ghasi.io/functions/consumer/consumertest"
	"melmastoon.ghasi.io/functions/consumer/internal/search"
)

// A map that is moved by 40 m causes no new search and changes no pin.
func TestSearchMap_pan(t *testing.T) {
	t.Parallel()
	system := consumertest.OpenSystem(t, 20, Function) // in one column, each 0.01 degrees further north
	v := system.Traveller()
	boxed := func(south, north float64) string {
		return system.SearchBodyIn(fmt.Sprintf(`{"mode":"bounding-box","boundingBox":{"swLat":%v,"swLng":69.05,"neLat":%v,"neLng":69.25}}`, south, north))
	}
	first, _ := post(t, v, boxed(34.5198, 34.6698))
	moved, answer := post(t, v, boxed(34.5202, 34.6702))
	if system.Calls("pins") != 1 {
		t.Errorf(`moved: system.Calls("pins") = %d, want 1`, system.Calls("pins"))
	}
	if answer.Header.Get("X-Cache") != "HIT" {
		t.Errorf(`moved: X-Cache = %q, want "HIT"`, answer.Header.Get("X-Cache"))
	}
	if len(first.Pins) != 16 {
		t.Fatalf("len(first.Pins) = %d, want 16", len(first.Pins))
	}
	if first.Total != 16 {
		t.Errorf("first.Total = %d, want 16", first.Total)
	}
	if first.Pins[0].Property != system.Hotels[2].Property {
		t.Errorf("first.Pins[0].Property = %v, want %v", first.Pins[0].Property, system.Hotels[2].Property)
	}
	if diff := cmp.Diff(first, moved, cmpopts.IgnoreUnexported(search.MapPin{})); diff != "" {
		t.Errorf("the map changed:\n%s", diff)
	}
	cells := search.BoundingBox{SwLat: 34.515625, SwLng: 69.046875, NeLat: 34.671875, NeLng: 69.25}
	kept := v.StoredSession().SearchHistory
	if len(kept) != 1 {
		t.Fatalf("len(kept) = %d, want 1", len(kept))
	}
	if *kept[0].Geo.Box != cells {
		t.Errorf("*kept[0].Geo.Box = %+v, want %+v", *kept[0].Geo.Box, cells)
	}
	asked := system.Body("pins")
	if !strings.Contains(asked, "34.515625") {
		t.Errorf("asked = %q, want it to contain %q", asked, "34.515625")
	}
	if strings.Contains(asked, "34.5198") {
		t.Errorf("asked = %q, want it without %q", asked, "34.5198")
	}
}
