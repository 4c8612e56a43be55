package search

import (
	"cmp"
	"context"
	"slices"

	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/money"
)

// A MapPin represents a hotel on a map, or a cluster of hotels. Only highlighted pins have a price.
type MapPin struct {
	Property id.Property     `json:"propertyId"`
	Geo      Position        `json:"geo"`
	Nightly  *int64          `json:"cheapestNightlyMinor,omitzero"`
	Currency *money.Currency `json:"currency,omitzero"`
	Exponent *int            `json:"exponent,omitzero"`
	Color    string          `json:"brandColor"`
	Count    int             `json:"count"` // hotels in the cluster

	tenant id.Tenant
}

// MapResults holds the pins of a part of a map for one visitor.
type MapResults struct {
	Composition
	Pins      []MapPin
	Total     int
	Clustered bool // some pins represent several hotels
	Truncated bool // the pins do not cover all hotels

	place NamedPlace
}

const (
	maxShown = 200 // pins on one map
	gridSide = 14  // cells per side of the clustering grid: 14 * 14 is at most maxShown
)

// Highlights lists the hotels whose pins get a price.
type Highlights []id.Property

const maxHighlighted = 20 // pins

// Map returns the pins of a part of a map, with prices in the given currency. It highlights the hotels in spotlight, or the
// first pins of single hotels if spotlight is empty.
func (s *Searches) Map(ctx context.Context, q Query, c money.Currency, spotlight Highlights) (MapResults, error) {
	ctx, cancel := compositionContext(ctx)
	defer cancel()
	ctx = s.prefetch(ctx)
	q = q.Normal()
	pinned, state, err := s.listings.Pins(ctx, q)
	if err != nil {
		return MapResults{}, asBudgetExceeded(err)
	}
	pins := s.withoutSuspended(ctx, pinned.Pins)
	m := MapResults{Total: pinned.Total, Truncated: pinned.Truncated, Clustered: len(pins) > maxShown, place: pinned.Place}
	m.add("search", state, nil)
	m.Pins = clusterPins(pins, *q.Geo.Box)
	m.addPrices(ctx, s, Trip{Dates: q.Dates, Occupancy: q.Occupancy, Currency: c}, m.highlights(spotlight))
	return m, nil
}

// withoutSuspended returns the pins of hotels that are not suspended.
func (s *Searches) withoutSuspended(ctx context.Context, pins []Pin) []Pin {
	var tenants []id.Tenant
	for _, p := range pins {
		tenants = append(tenants, p.Tenant)
	}
	closed := s.tenants.Suspended(ctx, tenants)
	return slices.DeleteFunc(slices.Clone(pins), func(p Pin) bool { return closed[p.Tenant] })
}

// clusterPins returns the pins. If there are more than maxShown, it returns the first pin of each grid cell, with the number of
// hotels in the cell.
func clusterPins(pins []Pin, b BoundingBox) []MapPin {
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

// cell returns the grid coordinates of a position in the box.
func (b BoundingBox) cell(g Position) [2]int {
	part := func(at, of float64) int { return min(gridSide-1, max(0, int(gridSide*at/of))) }
	return [2]int{part(g.Lat-b.SwLat, b.NeLat-b.SwLat), part(eastward(b.SwLng, g.Lng), eastward(b.SwLng, b.NeLng))}
}

// highlights returns the hotels whose pins get a price, at most maxHighlighted.
func (m *MapResults) highlights(wanted Highlights) (highlighted []id.Property) {
	for _, p := range m.Pins {
		if len(highlighted) < maxHighlighted && (slices.Contains(wanted, p.Property) || len(wanted) == 0 && p.Count == 1) {
			highlighted = append(highlighted, p.Property)
		}
	}
	return highlighted
}

// addPrices adds brand colours and prices, which it fetches concurrently.
func (m *MapResults) addPrices(ctx context.Context, s *Searches, t Trip, highlighted []id.Property) {
	var tenants []id.Tenant
	for _, p := range m.Pins {
		tenants = append(tenants, p.tenant)
	}
	decorated := s.decorations(ctx, tenants, highlighted, t, &m.Composition)
	for i := range m.Pins {
		p := &m.Pins[i]
		p.Color = cmp.Or(decorated.brands.value[p.tenant].Color, neutralColor)
		if r := decorated.rate(p.Property, t); r != nil {
			p.Nightly, p.Currency, p.Exponent = &r.Nightly, &r.Currency, &r.Exponent
		}
	}
}
