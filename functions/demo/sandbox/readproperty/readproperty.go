// Package readproperty returns a hotel with its room types.
package readproperty

import (
	"context"
	"time"

	"melmastoon.ghasi.io/functions/demo/sandbox"
	"melmastoon.ghasi.io/functions/demo/sandbox/internal/directory"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
)

// Function serves GET /sandbox/property/v1/properties/{propertyId}.
var Function = sandbox.HTTP(fn.Spec{
	Name:    "sandbox-readproperty",
	Route:   "GET /sandbox/property/v1/properties/{propertyId}",
	Uses:    fn.Uses{fn.Postgres},
	Timeout: 2 * time.Second,
}, New)

// A Request names a property.
type Request struct {
	Property id.Property `path:"propertyId"`
}

// A Response is the property.
type Response = directory.Property

// New returns the handler with its stores and clients.
func New(e env.Env) (fn.Serve[Request, Response], error) {
	properties := directory.OpenProperties(e)
	return func(ctx context.Context, c fn.Call[Request]) (Response, error) {
		return properties.Get(ctx, c.In.Property)
	}, nil
}
