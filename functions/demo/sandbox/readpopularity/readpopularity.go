// Package readpopularity returns the recent demand for one hotel.
package readpopularity

import (
	"context"
	"time"

	"melmastoon.ghasi.io/functions/demo/sandbox"
	"melmastoon.ghasi.io/functions/demo/sandbox/internal/search"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
)

// Function serves GET /sandbox/search/v1/popularity.
var Function = sandbox.HTTP(fn.Spec{
	Name:    "sandbox-readpopularity",
	Route:   "GET /sandbox/search/v1/popularity",
	Uses:    fn.Uses{fn.Postgres},
	Timeout: 2 * time.Second,
}, New)

// A Request names the hotel.
type Request struct {
	Property id.Property `query:"propertyId"`
}

// A Response is the demand; it is zero for an unknown hotel.
type Response struct {
	Property id.Property `json:"propertyId"`
	search.Popularity
}

// New returns the handler with its stores and clients.
func New(e env.Env) (fn.Serve[Request, Response], error) {
	demand := search.OpenDemand(e)
	return func(ctx context.Context, c fn.Call[Request]) (Response, error) {
		popularity, err := demand.Popularity(ctx, c.In.Property)
		return Response{c.In.Property, popularity}, err
	}, nil
}
