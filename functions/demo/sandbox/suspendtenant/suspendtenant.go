// Package suspendtenant suspends a tenant's sites.
package suspendtenant

import (
	"context"
	"time"

	"melmastoon.ghasi.io/functions/demo/sandbox"
	"melmastoon.ghasi.io/functions/demo/sandbox/internal/directory"
	"melmastoon.ghasi.io/functions/demo/sandbox/internal/standin"
	"melmastoon.ghasi.io/shared/freetext"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
)

// Function serves POST /sandbox/tenant/v1/tenants/{tenantId}/suspend.
var Function = sandbox.HTTP(fn.Spec{
	Name:      "sandbox-suspendtenant",
	Route:     "POST /sandbox/tenant/v1/tenants/{tenantId}/suspend",
	Uses:      fn.Uses{fn.Postgres},
	Publishes: fn.Subjects{directory.TenantSuspendedV1},
	Timeout:   2 * time.Second,
}, New)

// A Request names the tenant and the reason.
type Request struct {
	Tenant id.Tenant     `path:"tenantId"`
	Reason freetext.Text `json:"reason"`
}

const maxReasonLength = 200

// Validate requires a reason, because consumers of the event show it.
func (r *Request) Validate() error {
	if r.Reason == "" || len(r.Reason) > maxReasonLength {
		return standin.Refuse("/reason", "length", "Must have 1 to 200 characters.")
	}
	return nil
}

// A Response is the updated tenant.
type Response = directory.Tenant

// New returns the handler with its stores and clients.
func New(e env.Env) (fn.Serve[Request, Response], error) {
	tenants := directory.OpenTenants(e)
	return func(ctx context.Context, c fn.Call[Request]) (Response, error) {
		return tenants.Suspend(ctx, c.In.Tenant, string(c.In.Reason))
	}, nil
}
