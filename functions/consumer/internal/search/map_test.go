package search

import (
	"testing"
	"time"

	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/testkit/check"
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
	check.Equal(t, shown, []byte{1, 3, 4})
	check.Equal(t, hotels, m.Total, "the counts add up to")
	check.Equal(t, m.Clustered, true)
	check.Equal(t, m.highlights(nil), []id.Property{{15: 1}, {15: 3}})
}

func TestHighlights(t *testing.T) {
	t.Parallel()
	pin := func(n byte, count int) MapPin { return MapPin{Property: id.Property{15: n}, Count: count} }
	var m MapResults
	for n := range byte(maxHighlighted + 5) {
		m.Pins = append(m.Pins, pin(n, 1+int(n)%3)) // hotels and clusters
	}
	highlighted := m.highlights(nil)
	check.MustEqual(t, len(highlighted), maxHighlighted, "unasked")
	for n, hotel := range highlighted {
		check.Equal(t, hotel, id.Property{15: byte(n)}, "pin %d", n)
	}
	wanted := Highlights{{15: 0}, {15: 24}, {15: 99}}
	highlighted = m.highlights(wanted)
	check.MustEqual(t, len(highlighted), 2)
	check.Equal(t, highlighted[0], wanted[0])
	check.Equal(t, highlighted[1], wanted[1])
}
