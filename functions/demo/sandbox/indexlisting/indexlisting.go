// Package indexlisting updates a hotel in the search index.
package indexlisting

import (
	"context"
	"time"

	"melmastoon.ghasi.io/functions/demo/sandbox"
	"melmastoon.ghasi.io/functions/demo/sandbox/internal/search"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
)

// Function serves POST /sandbox/search/v1/listings/{propertyId}/index.
var Function = sandbox.HTTP(fn.Spec{
	Name:      "sandbox-indexlisting",
	Route:     "POST /sandbox/search/v1/listings/{propertyId}/index",
	Uses:      fn.Uses{fn.Postgres},
	Publishes: fn.Subjects{search.ListingIndexedV1},
	Timeout:   2 * time.Second,
}, New)

// A Request names a hotel.
type Request struct {
	Property id.Property `path:"propertyId"`
}

// A Response is the time and the cell of the indexed hotel.
type Response = search.Indexed

// New returns the handler with its stores and clients.
func New(e env.Env) (fn.Serve[Request, Response], error) {
	listings := search.OpenListings(e)
	return func(ctx context.Context, c fn.Call[Request]) (Response, error) {
		return listings.Index(ctx, c.In.Property)
	}, nil
}
