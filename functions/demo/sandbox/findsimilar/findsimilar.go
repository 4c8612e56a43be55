// Package findsimilar finds hotels like a given one.
package findsimilar

import (
	"context"
	"time"

	"melmastoon.ghasi.io/functions/demo/sandbox"
	"melmastoon.ghasi.io/functions/demo/sandbox/internal/scenario"
	"melmastoon.ghasi.io/functions/demo/sandbox/internal/search"
	"melmastoon.ghasi.io/functions/demo/sandbox/internal/standin"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
)

// Function serves POST /sandbox/search/v1/similar.
var Function = sandbox.HTTP(fn.Spec{
	Name:    "sandbox-findsimilar",
	Route:   "POST /sandbox/search/v1/similar",
	Uses:    fn.Uses{fn.Postgres},
	Timeout: 2 * time.Second,
}, New)

const maxHotels = 10

// A Request names the hotel, the stay and the number of hotels wanted.
type Request struct {
	Property  id.Property       `json:"propertyId"`
	Dates     search.Dates      `json:"dates"`
	Occupancy search.Travellers `json:"occupancy"`
	Currency  money.Currency    `json:"currency"` // for comparing prices
	Limit     int               `json:"limit"`
}

// Validate rejects an impossible stay or party, and too many hotels.
func (r *Request) Validate() error {
	if r.Limit < 1 || r.Limit > maxHotels {
		return standin.Refuse("/limit", "range", "Must be 1 to 10.")
	}
	if err := r.Dates.Validate(); err != nil {
		return err
	}
	return r.Occupancy.Validate()
}

// A Response holds the listings, the most similar first.
type Response struct {
	Listings []search.Listing `json:"listings"`
}

// New returns the handler with its stores and clients.
func New(e env.Env) (fn.Serve[Request, Response], error) {
	listings := search.OpenListings(e)
	return func(ctx context.Context, c fn.Call[Request]) (Response, error) {
		if scenario.Requested(c.Header, scenario.SoldOut) {
			return Response{Listings: []search.Listing{}}, nil
		}
		all, err := listings.Similar(ctx, search.Likeness{Property: c.In.Property, Dates: c.In.Dates, Party: c.In.Occupancy, Currency: c.In.Currency, Limit: c.In.Limit})
		return Response{all}, err
	}, nil
}
