package marketplace

import (
	"math"
	"testing"

	"melmastoon.ghasi.io/shared/id"
)

// TestNewMap_pins puts the hotels of a page at one place, in one line, in a corner and far apart. No pin covers another one, and all are
// on the map.
func TestNewMap_pins(t *testing.T) {
	t.Parallel()
	for name, place := range map[string]func(n int) Position{
		"at one place": func(int) Position { return Position{34.5, 69.1} },
		"in a line":    func(n int) Position { return Position{34.5, 69.1 + float64(n)/1000} },
		"in a corner":  func(n int) Position { return Position{34.5 + float64(n/(pageSize-1)), 69.1 + float64(n/(pageSize-1))} },
		"apart":        func(n int) Position { return Position{34.5 + float64(n%3)/10, 69.1 + float64(n)/10} },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var cards []Card
			var pins Pins
			for n := range pageSize {
				p := id.New[id.Property]()
				cards = append(cards, Card{Property: p})
				pins.Pins = append(pins.Pins, Pin{Property: p, Geo: place(n), Count: 1})
			}
			pins.Pins = append(pins.Pins, Pin{Property: id.New[id.Property](), Geo: place(0), Count: 1})
			m := newMap(&pins, cards, pageSize)
			if len(m.Pins) != pageSize || len(m.Others) != 1 || m.Pins[0].Number != pageSize+1 {
				t.Fatalf("got %d pins and %d others, the first with number %d, want %d and 1, with %d", len(m.Pins), len(m.Others), m.Pins[0].Number, pageSize, pageSize+1)
			}
			for i, a := range m.Pins {
				if a.X < pinRadius || a.X > mapWidth-pinRadius || a.Y < pinRadius || a.Y > mapHeight-pinRadius {
					t.Errorf("pin %d is at %v, %v, want it on the map", i, a.X, a.Y)
				}
				for j, b := range m.Pins[:i] {
					if d := math.Hypot(a.X-b.X, a.Y-b.Y); d < 2*pinRadius+1 {
						t.Errorf("pins %d and %d are %.1f apart, want at least %d", i, j, d, 2*pinRadius+1)
					}
				}
			}
		})
	}
}
