// Package listproperties lists the hotels of one tenant.
package listproperties

import (
	"context"
	"time"

	"melmastoon.ghasi.io/functions/demo/sandbox"
	"melmastoon.ghasi.io/functions/demo/sandbox/internal/directory"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
)

// Function serves GET /sandbox/property/v1/properties.
var Function = sandbox.HTTP(fn.Spec{
	Name:    "sandbox-listproperties",
	Route:   "GET /sandbox/property/v1/properties",
	Uses:    fn.Uses{fn.Postgres},
	Timeout: 2 * time.Second,
}, New)

// A Request names the tenant.
type Request struct {
	Tenant id.Tenant `query:"tenantId"`
}

// A Response lists the properties by name.
type Response struct {
	Properties []directory.Property `json:"properties"`
}

// New returns the handler with its stores and clients.
func New(e env.Env) (fn.Serve[Request, Response], error) {
	properties := directory.OpenProperties(e)
	return func(ctx context.Context, c fn.Call[Request]) (Response, error) {
		all, err := properties.List(ctx, c.In.Tenant)
		return Response{all}, err
	}, nil
}
