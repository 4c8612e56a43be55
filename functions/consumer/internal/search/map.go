package search

import (
	"cmp"
	"context"
	"slices"
	"time"

	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/platform/cache"
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
	closed bool // the tenant is suspended
}

// MapResults holds the pins of a part of a map for one visitor.
type MapResults struct {
	Composition
	Pins      []MapPin
	Total     int
	Clustered bool // some pins represent several hotels
	Truncated bool // the pins do not represent all hotels

	place  NamedPlace
	listed cache.State // of the hotels alone
}

const maxShown = 200 // pins on one map

// Highlights lists the hotels whose pins get a price.
type Highlights []id.Property

const maxHighlighted = 20 // pins

// Map returns the pins of a part of a map, with prices in the given currency. It highlights the hotels in spotlight, or the
// first pins if spotlight is empty. A highlighted cluster has the price of its most popular hotel.
func (s *Searches) Map(ctx context.Context, q Query, c money.Currency, spotlight Highlights) (MapResults, error) {
	ctx, cancel := compositionContext(ctx)
	defer cancel()
	ctx = s.prefetch(ctx)
	q = q.Normal()
	found, closed, state, err := s.pins(ctx, q)
	if err != nil {
		return MapResults{}, asBudgetExceeded(err)
	}
	m := MapResults{Total: found.Total, Truncated: found.hotels() < found.Total, Pins: []MapPin{}, place: found.Place, listed: state}
	m.add("search", state, nil)
	m.addPins(found.Pins, closed)
	m.addPrices(ctx, s, Trip{Dates: q.Dates, Occupancy: q.Occupancy, Currency: c}, m.highlights(spotlight))
	return m, nil
}

// againTimeout bounds the second request for the pins of a map, because prices and brands need the rest of the time.
const againTimeout = 500 * time.Millisecond

// pins returns the pins of a map, and the suspended tenants among theirs with the times of suspension.
//
// A pin names only the most popular hotel of its cluster. If that hotel was suspended after the cached request, pins requests them again,
// once for all callers, and the search service lets another hotel represent the cluster. If this fails, the old pins are returned as
// stale.
func (s *Searches) pins(ctx context.Context, q Query) (FoundPins, map[id.Tenant]time.Time, cache.State, error) {
	found, state, err := s.listings.Pins(ctx, q)
	if err != nil {
		return FoundPins{}, nil, state, err
	}
	closed := s.suspended(ctx, found.Pins)
	last := found.lastSuspended(closed)
	if last.IsZero() {
		return found, closed, state, nil
	}
	limited, cancel := context.WithTimeout(ctx, s.env.Timeout(againTimeout))
	defer cancel()
	again, state, err := s.listings.Pins(limited, q, "suspended", last.Format(time.RFC3339Nano))
	if err != nil {
		return found, closed, cache.Stale, nil
	}
	return again, s.suspended(ctx, again.Pins), state, nil
}

// suspended returns the suspended tenants among those of the pins, each with the time of its suspension.
func (s *Searches) suspended(ctx context.Context, pins []Pin) map[id.Tenant]time.Time {
	var tenants []id.Tenant
	for _, p := range pins {
		tenants = append(tenants, p.Tenant)
	}
	return s.tenants.suspensions(ctx, tenants)
}

// lastSuspended returns the latest suspension, after the request for the pins, of a hotel that represents a cluster, or zero.
func (f FoundPins) lastSuspended(closed map[id.Tenant]time.Time) (last time.Time) {
	for _, p := range f.Pins {
		if since := closed[p.Tenant]; p.Count > 1 && since.After(f.At) && since.After(last) {
			last = since
		}
	}
	return last
}

// addPins adds the pins. It omits a single hotel that is suspended and subtracts it from the total. A cluster that a suspended hotel
// represents keeps its count, because its other hotels are unknown here, and gets no price.
func (m *MapResults) addPins(pins []Pin, closed map[id.Tenant]time.Time) {
	for _, p := range pins {
		if has(closed, p.Tenant) && p.Count == 1 {
			m.Total--
			continue
		}
		m.Clustered = m.Clustered || p.Count > 1
		m.Pins = append(m.Pins, MapPin{Property: p.Property, Geo: p.Geo, Count: p.Count, tenant: p.Tenant, closed: has(closed, p.Tenant)})
	}
}

// highlights returns the hotels whose pins get a price, at most maxHighlighted.
func (m *MapResults) highlights(wanted Highlights) (highlighted []id.Property) {
	for _, p := range m.Pins {
		if len(highlighted) < maxHighlighted && !p.closed && (len(wanted) == 0 || slices.Contains(wanted, p.Property)) {
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
