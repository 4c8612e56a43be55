// Package listlistings returns the listings of given hotels.
package listlistings

import (
	"context"
	"time"

	"melmastoon.ghasi.io/functions/demo/sandbox"
	"melmastoon.ghasi.io/functions/demo/sandbox/internal/search"
	"melmastoon.ghasi.io/functions/demo/sandbox/internal/standin"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
)

// Function serves POST /sandbox/search/v1/listings.
var Function = sandbox.HTTP(fn.Spec{
	Name:    "sandbox-listlistings",
	Route:   "POST /sandbox/search/v1/listings",
	Uses:    fn.Uses{fn.Postgres},
	Timeout: 2 * time.Second,
}, New)

const maxHotels = 150 // in one request: a wishlist and the recently viewed hotels

// A Request names the hotels.
type Request struct {
	Properties []id.Property `json:"propertyIds"`
}

// Validate rejects an empty list and one that is too long.
func (r *Request) Validate() error {
	if len(r.Properties) == 0 || len(r.Properties) > maxHotels {
		return standin.Refuse("/propertyIds", "count", "Name 1 to 150 hotels.")
	}
	return nil
}

// A Response holds the listings of the hotels that exist and are not suspended, in the order of the request.
type Response struct {
	Listings []search.Listing `json:"listings"`
}

// New returns the handler with its stores and clients.
func New(e env.Env) (fn.Serve[Request, Response], error) {
	listings := search.OpenListings(e)
	return func(ctx context.Context, c fn.Call[Request]) (Response, error) {
		all, err := listings.Of(ctx, c.In.Properties)
		return Response{all}, err
	}, nil
}
