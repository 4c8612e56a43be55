package consumer

import (
	"context"
	"slices"

	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/money"
)

// A MapPin is a hotel on a map, or one that stands for several near it. Only pins in the spotlight have a price.
type MapPin struct {
	Property id.Property     `json:"propertyId"`
	Geo      Position        `json:"geo"`
	Nightly  *int64          `json:"cheapestNightlyMinor,omitzero"`
	Currency *money.Currency `json:"currency,omitzero"`
	Exponent *int            `json:"exponent,omitzero"`
	Color    *string         `json:"brandColor"`
	Count    int             `json:"count"` // how many hotels it stands for

	tenant id.Tenant
}

// Marked are the pins of a part of a map, for one visitor.
type Marked struct {
	Composition
	Pins      []MapPin
	Total     int
	Clustered bool // some pins stand for several hotels
	Truncated bool // there are more hotels than the pins stand for
}

const (
	maxShown = 200 // pins on one map
	gridSide = 14  // cells of the grid that thins them out, which are not more than that
)

// A Highlights names the pins that get a price.
type Highlights []id.Property

const maxHighlighted = 20 // pins

// Map finds where hotels are in a part of a map. In the spotlight are those that are named, or else the first that stand for
// themselves.
func (s *Searches) Map(ctx context.Context, v Visitor, q Query, spotlight Highlights) (Marked, error) {
	ctx, cancel := ahead(ctx)
	defer cancel()
	ctx = s.prefetch(ctx)
	q = q.Normal()
	pinned, state, err := s.listings.Pins(ctx, q)
	if err != nil {
		return Marked{}, overdue(err)
	}
	pins := s.open(ctx, pinned.Pins)
	m := Marked{Total: pinned.Total, Truncated: pinned.Truncated, Clustered: len(pins) > maxShown}
	m.with("search", state, nil)
	m.Pins = thinned(pins, *q.Geo.Box)
	m.addPrices(ctx, s, Trip{Dates: q.Dates, Occupancy: q.Occupancy, Currency: v.Currency}, m.highlights(spotlight))
	return m, nil
}

// open are the pins of hotels that are not suspended.
func (s *Searches) open(ctx context.Context, pins []Pin) []Pin {
	var tenants []id.Tenant
	for _, p := range pins {
		tenants = append(tenants, p.Tenant)
	}
	closed := s.tenants.Suspended(ctx, tenants)
	return slices.DeleteFunc(slices.Clone(pins), func(p Pin) bool { return closed[p.Tenant] })
}

// thinned are the pins, or where they are too many the first of each cell of a grid, with how many it stands for.
func thinned(pins []Pin, b BoundingBox) []MapPin {
	shown, at := []MapPin{}, map[[2]int]int{}
	for _, p := range pins {
		cell := b.cell(p.Geo)
		if n, taken := at[cell]; taken && len(pins) > maxShown {
			shown[n].Count++
			continue
		}
		at[cell] = len(shown)
		shown = append(shown, MapPin{Property: p.Property, Geo: p.Geo, Count: 1, tenant: p.Tenant})
	}
	return shown
}

// cell is where in the grid over the box a place lies.
func (b BoundingBox) cell(g Position) [2]int {
	part := func(at, of float64) int { return min(gridSide-1, max(0, int(gridSide*at/of))) }
	return [2]int{part(g.Lat-b.SwLat, b.NeLat-b.SwLat), part(eastward(b.SwLng, g.Lng), eastward(b.SwLng, b.NeLng))}
}

// highlights are the pins that get a price.
func (m *Marked) highlights(wanted Highlights) (lit []id.Property) {
	for _, p := range m.Pins {
		if len(lit) < maxHighlighted && (slices.Contains(wanted, p.Property) || len(wanted) == 0 && p.Count == 1) {
			lit = append(lit, p.Property)
		}
	}
	return lit
}

// addPrices adds colours and prices, asked for at once.
func (m *Marked) addPrices(ctx context.Context, s *Searches, t Trip, lit []id.Property) {
	var tenants []id.Tenant
	for _, p := range m.Pins {
		tenants = append(tenants, p.tenant)
	}
	worn := s.decorations(ctx, tenants, lit, t, &m.Composition)
	for i := range m.Pins {
		p := &m.Pins[i]
		if look, ok := worn.looks.value[p.tenant]; ok {
			p.Color = &look.Color
		}
		if r := worn.rate(p.Property, t); r != nil {
			p.Nightly, p.Currency, p.Exponent = &r.Nightly, &r.Currency, &r.Exponent
		}
	}
}
