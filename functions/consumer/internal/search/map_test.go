package search

import (
	"testing"

	"melmastoon.ghasi.io/shared/id"
)

func TestClusterPins(t *testing.T) {
	t.Parallel()
	pins := func(n int, at func(int) Position) (all []Pin) {
		for i := range n {
			all = append(all, Pin{Property: id.Property{15: byte(i), 14: byte(i >> 8)}, Tenant: id.Tenant{15: 1}, Geo: at(i)})
		}
		return all
	}
	spread := func(i int) Position { return Position{34 + float64(i%25)/25, 69 + float64(i/25)/25} }
	for _, test := range []struct {
		name        string
		pins        []Pin
		box         BoundingBox
		least, most int
	}{
		{"none", nil, BoundingBox{34, 69, 35, 70}, 0, 0},
		{"as many as are shown", pins(maxShown, spread), BoundingBox{34, 69, 35, 70}, maxShown, maxShown},
		{"one more", pins(maxShown+1, spread), BoundingBox{34, 69, 35, 70}, 2, maxShown},
		{"500 all over", pins(500, spread), BoundingBox{34, 69, 35, 70}, 100, maxShown},
		{"500 in one place", pins(500, func(int) Position { return Position{34.5, 69.5} }), BoundingBox{34, 69, 35, 70}, 1, 1},
		{"over the date line", pins(500, func(i int) Position { return Position{0, []float64{175, -175}[i%2]} }), BoundingBox{-10, 170, 10, -170}, 2, 2},
		{"outside the box", pins(500, func(int) Position { return Position{80, -100} }), BoundingBox{34, 69, 35, 70}, 1, 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			shown, count := clusterPins(test.pins, test.box), 0
			for _, p := range shown {
				count += p.Count
			}
			if len(shown) < test.least {
				t.Errorf("len(shown) = %d, want at least %d", len(shown), test.least)
			}
			if len(shown) > test.most {
				t.Errorf("len(shown) = %d, want at most %d", len(shown), test.most)
			}
			if count != len(test.pins) {
				t.Errorf("count = %d, want %d", count, len(test.pins))
			}
		})
	}
}

func TestHighlights(t *testing.T) {
	t.Parallel()
	pin := func(n byte, count int) MapPin { return MapPin{Property: id.Property{15: n}, Count: count} }
	m := MapResults{Pins: []MapPin{pin(0, 3)}}
	for n := range byte(maxHighlighted + 5) {
		m.Pins = append(m.Pins, pin(n+1, 1))
	}
	highlighted := m.highlights(nil)
	if len(highlighted) != maxHighlighted {
		t.Fatalf("unasked: len(highlighted) = %d, want %d", len(highlighted), maxHighlighted)
	}
	if highlighted[0] != (id.Property{15: 1}) {
		t.Errorf("unasked: highlighted[0] = %v, want %v", highlighted[0], (id.Property{15: 1}))
	}
	wanted := Highlights{{15: 0}, {15: 24}, {15: 99}}
	highlighted = m.highlights(wanted)
	if len(highlighted) != 2 {
		t.Fatalf("len(highlighted) = %d, want 2", len(highlighted))
	}
	if highlighted[0] != wanted[0] {
		t.Errorf("highlighted[0] = %v, want %v", highlighted[0], wanted[0])
	}
	if highlighted[1] != wanted[1] {
		t.Errorf("highlighted[1] = %v, want %v", highlighted[1], wanted[1])
	}
}
