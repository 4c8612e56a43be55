package searchmap

import (
	"fmt"
	"strings"
	"testing"

	"melmastoon.ghasi.io/functions/consumer/consumertest"
	"melmastoon.ghasi.io/functions/consumer/internal/search"
)

// A map that is moved by 40 m asks nobody again, and shows what is in it now.
func TestSearchMap_cells(t *testing.T) {
	t.Parallel()
	market := consumertest.OpenSystem(t, 20, Function) // in one column, each 0.01 degrees further north
	v := market.Traveller()
	boxed := func(south, north float64) string {
		return market.SearchBodyIn(fmt.Sprintf(`{"mode":"bounding-box","boundingBox":{"swLat":%v,"swLng":69.05,"neLat":%v,"neLng":69.25}}`, south, north))
	}
	first, _ := look(t, v, boxed(34.5198, 34.6698))
	moved, _ := look(t, v, boxed(34.5202, 34.6702))
	if market.Asked("pins") != 1 || moved.Search != first.Search {
		t.Errorf("moved: asked %d times, %s after %s", market.Asked("pins"), moved.Search, first.Search)
	}
	if len(first.Pins) != 15 || first.Total != 15 || first.Pins[0].Property != market.Hotels[2].Property {
		t.Errorf("first: %d of %d pins, from %s", len(first.Pins), first.Total, first.Pins[0].Property)
	}
	if len(moved.Pins) != 15 || moved.Total != 15 || moved.Pins[0].Property != market.Hotels[3].Property {
		t.Errorf("moved: %d of %d pins, from %s", len(moved.Pins), moved.Total, moved.Pins[0].Property)
	}
	cells := search.BoundingBox{SwLat: 34.515625, SwLng: 69.046875, NeLat: 34.671875, NeLng: 69.25}
	if kept := v.StoredSession().SearchHistory; len(kept) != 1 || *kept[0].Geo.Box != cells {
		t.Errorf("remembered %+v", *kept[0].Geo.Box)
	}
	if asked := market.Body("pins"); !strings.Contains(asked, "34.515625") || strings.Contains(asked, "34.5198") {
		t.Errorf("asked for %s", asked)
	}
}
