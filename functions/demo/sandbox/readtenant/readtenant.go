// Package readtenant returns a tenant's configuration.
package readtenant

import (
	"context"
	"time"

	"melmastoon.ghasi.io/functions/demo/sandbox"
	"melmastoon.ghasi.io/functions/demo/sandbox/internal/directory"
	"melmastoon.ghasi.io/functions/demo/sandbox/internal/scenario"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
)

// Function serves GET /sandbox/tenant/v1/tenants/{ref}.
var Function = sandbox.HTTP(fn.Spec{
	Name:    "sandbox-readtenant",
	Route:   "GET /sandbox/tenant/v1/tenants/{ref}",
	Uses:    fn.Uses{fn.Postgres},
	Timeout: 2 * time.Second,
}, New)

// A Request names a tenant by its id, its slug or one of its domains.
type Request struct {
	Ref string `path:"ref"`
}

// A Response is the tenant.
type Response = directory.Tenant

// New returns the handler with its stores and clients.
func New(e env.Env) (fn.Serve[Request, Response], error) {
	tenants := directory.OpenTenants(e)
	return func(ctx context.Context, c fn.Call[Request]) (Response, error) {
		t, err := tenants.Get(ctx, c.In.Ref)
		if scenario.Requested(c.Header, scenario.Suspended) {
			t.Status = "suspended"
		}
		return t, err
	}, nil
}
