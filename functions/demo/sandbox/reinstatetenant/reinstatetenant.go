// Package reinstatetenant reopens a suspended tenant's sites.
package reinstatetenant

import (
	"context"
	"time"

	"melmastoon.ghasi.io/functions/demo/sandbox"
	"melmastoon.ghasi.io/functions/demo/sandbox/internal/directory"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
)

// Function serves POST /sandbox/tenant/v1/tenants/{tenantId}/reinstate.
var Function = sandbox.HTTP(fn.Spec{
	Name:      "sandbox-reinstatetenant",
	Route:     "POST /sandbox/tenant/v1/tenants/{tenantId}/reinstate",
	Uses:      fn.Uses{fn.Postgres},
	Publishes: fn.Subjects{directory.TenantReinstatedV1},
	Timeout:   2 * time.Second,
}, New)

// A Request names the tenant.
type Request struct {
	Tenant id.Tenant `path:"tenantId"`
}

// A Response is the updated tenant.
type Response = directory.Tenant

// New returns the handler with its stores and clients.
func New(e env.Env) (fn.Serve[Request, Response], error) {
	tenants := directory.OpenTenants(e)
	return func(ctx context.Context, c fn.Call[Request]) (Response, error) {
		return tenants.Reinstate(ctx, c.In.Tenant)
	}, nil
}
