// Package listpolicies lists the house rules of a tenant's hotels.
package listpolicies

import (
	"context"
	"time"

	"melmastoon.ghasi.io/functions/demo/sandbox"
	"melmastoon.ghasi.io/functions/demo/sandbox/internal/directory"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
)

// Function serves GET /sandbox/property/v1/policies.
var Function = sandbox.HTTP(fn.Spec{
	Name:    "sandbox-listpolicies",
	Route:   "GET /sandbox/property/v1/policies",
	Uses:    fn.Uses{fn.Postgres},
	Timeout: 2 * time.Second,
}, New)

// A Request names the tenant.
type Request struct {
	Tenant id.Tenant `query:"tenantId"`
}

// A Response lists the rules of all hotels. It is empty for an unknown tenant.
type Response struct {
	Policies []directory.HouseRule `json:"policies"`
}

// New returns the handler with its stores and clients.
func New(e env.Env) (fn.Serve[Request, Response], error) {
	properties := directory.OpenProperties(e)
	return func(ctx context.Context, c fn.Call[Request]) (Response, error) {
		rules, err := properties.Rules(ctx, c.In.Tenant)
		return Response{rules}, err
	}, nil
}
