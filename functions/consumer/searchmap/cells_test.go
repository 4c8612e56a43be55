package searchmap

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"melmastoon.ghasi.io/functions/consumer/consumertest"
	"melmastoon.ghasi.io/functions/consumer/internal/search"
	"melmastoon.ghasi.io/shared/testkit/check"
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
	check.Equal(t, system.Calls("pins"), 1, "moved")
	check.Equal(t, answer.Header.Get("X-Cache"), "HIT", "moved")
	check.MustEqual(t, len(first.Pins), 16)
	check.Equal(t, first.Total, 16)
	check.Equal(t, first.Pins[0].Property, system.Hotels[2].Property)
	if diff := cmp.Diff(first, moved, cmpopts.IgnoreUnexported(search.MapPin{})); diff != "" {
		t.Errorf("the map changed:\n%s", diff)
	}
	cells := search.BoundingBox{SwLat: 34.515625, SwLng: 69.046875, NeLat: 34.671875, NeLng: 69.25}
	kept := v.StoredSession().SearchHistory
	check.MustEqual(t, len(kept), 1)
	check.Equal(t, *kept[0].Geo.Box, cells)
	asked := system.Body("pins")
	check.Contains(t, asked, "34.515625")
	check.Lacks(t, asked, "34.5198")
}
