package search

import (
	"slices"
	"testing"
	"time"

	"melmastoon.ghasi.io/shared/id"
)

func TestAddPins(t *testing.T) {
	t.Parallel()
	open, closed := id.Tenant{15: 1}, id.Tenant{15: 2}
	m := MapResults{Total: 14}
	m.addPins([]Pin{
		{Property: id.Property{15: 1}, Tenant: open, Count: 1}, {Property: id.Property{15: 2}, Tenant: closed, Count: 1},
		{Property: id.Property{15: 3}, Tenant: open, Count: 5}, {Property: id.Property{15: 4}, Tenant: closed, Count: 7},
	}, map[id.Tenant]time.Time{closed: time.Unix(1, 0)})
	var shown []byte
	hotels := 0
	for _, p := range m.Pins {
		shown, hotels = append(shown, p.Property[15]), hotels+p.Count
	}
	if want := []byte{1, 3, 4}; !slices.Equal(shown, want) {
		t.Errorf("shown = %v, want %v", shown, want)
	}
	if hotels != m.Total {
		t.Errorf("the counts add up to %d, want the total %d", hotels, m.Total)
	}
	if !m.Clustered {
		t.Error("m.Clustered = false, want true")
	}
	if got, want := m.highlights(nil), []id.Property{{15: 1}, {15: 3}}; !slices.Equal(got, want) {
		t.Errorf("highlights() = %v, want %v without the suspended hotel of a cluster", got, want)
	}
}

func TestHighlights(t *testing.T) {
	t.Parallel()
	pin := func(n byte, count int) MapPin { return MapPin{Property: id.Property{15: n}, Count: count} }
	var m MapResults
	for n := range byte(maxHighlighted + 5) {
		m.Pins = append(m.Pins, pin(n, 1+int(n)%3)) // hotels and clusters
	}
	highlighted := m.highlights(nil)
	if len(highlighted) != maxHighlighted {
		t.Fatalf("unasked: len(highlighted) = %d, want %d", len(highlighted), maxHighlighted)
	}
	for n, hotel := range highlighted {
		if want := (id.Property{15: byte(n)}); hotel != want {
			t.Errorf("unasked: highlighted[%d] = %v, want %v", n, hotel, want)
		}
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
