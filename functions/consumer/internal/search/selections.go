package search

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/platform/cache"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/upstream"
)

// Selections is the client of the search service for listings that no query selects: those of given hotels, and those like a
// hotel. It has a cache: at most one request per minute for each selection.
type Selections struct {
	client  *upstream.Client
	cached  *cache.Cache[[]Listing]
	indexed recentChanges
}

// OpenSelections opens the client, which uses hedged requests.
func OpenSelections(e env.Env) *Selections {
	return &Selections{
		client:  upstream.Open(e, "search", upstream.Policy{Timeout: 1500 * time.Millisecond, Retries: 1, HedgeAfter: 800 * time.Millisecond}),
		cached:  cache.Open[[]Listing](e, "consumer-selections", listPolicy),
		indexed: openIndexed(e),
	}
}

// Of returns the listings of hotels, fetched in one call, in no order. A hotel that does not exist or is suspended has none.
func (s *Selections) Of(ctx context.Context, hotels []id.Property) ([]Listing, cache.State, error) {
	all := make([]string, len(hotels))
	for i, h := range hotels {
		all[i] = h.String()
	}
	slices.Sort(all)
	in := struct {
		Properties []string `json:"propertyIds"`
	}{slices.Compact(all)}
	return s.fetch(ctx, in.Properties, nil, "/listings", in, len(in.Properties))
}

// similarRequest is the request body for hotels like a hotel.
type similarRequest struct {
	Property  id.Property    `json:"propertyId"`
	Dates     DateRange      `json:"dates"`
	Occupancy Occupancy      `json:"occupancy"`
	Currency  money.Currency `json:"currency"` // for price comparison
	Limit     int            `json:"limit"`
}

// Similar returns hotels of the same city and country where the stay is possible, nearest in stars, then in price. A hotel that the
// search service does not know has none.
func (s *Selections) Similar(ctx context.Context, hotel Property, t Trip, limit int) ([]Listing, cache.State, error) {
	in := similarRequest{Property: hotel.ID, Dates: t.Dates, Occupancy: t.Occupancy, Currency: t.Currency, Limit: limit}
	found, state, err := s.fetch(ctx, []string{hotel.ID.String()}, []string{canonicalJSON(in)}, "/similar", in, limit)
	if err != nil {
		return nil, state, err
	}
	others := []Listing{}
	for _, listing := range found {
		if listing.Property != hotel.ID && listing.Country == hotel.Country {
			others = append(others, listing)
		}
	}
	return others, state, nil
}

// fetch returns a selection that depends on hotels and more parameters.
func (s *Selections) fetch(ctx context.Context, hotels, more []string, path string, in any, limit int) ([]Listing, cache.State, error) {
	return fetchOfHotels(ctx, s.indexed, s.cached, hotels, append(more, path), func(ctx context.Context) ([]Listing, error) {
		var out struct {
			Listings []Listing `json:"listings"`
		}
		err := s.client.Post(ctx, path, in, &out, upstream.Read())
		if _, one := in.(similarRequest); one && errors.Is(err, fault.ErrNotFound) {
			return []Listing{}, nil // the search service does not know the hotel
		}
		if err != nil {
			return nil, fmt.Errorf("selections: %s: %w", path, err)
		}
		if out.Listings == nil || len(out.Listings) > limit {
			return nil, fault.ErrUpstreamUnavailable.Because(fmt.Errorf("selections: %s: incomplete, or more than asked for", path))
		}
		return out.Listings, nil
	})
}
