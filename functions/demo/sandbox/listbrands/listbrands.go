// Package listbrands returns the brands of several tenants.
package listbrands

import (
	"context"
	"time"

	"melmastoon.ghasi.io/functions/demo/sandbox"
	"melmastoon.ghasi.io/functions/demo/sandbox/internal/directory"
	"melmastoon.ghasi.io/functions/demo/sandbox/internal/standin"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
)

// Function serves POST /sandbox/theme/v1/brands.
var Function = sandbox.HTTP(fn.Spec{
	Name:    "sandbox-listbrands",
	Route:   "POST /sandbox/theme/v1/brands",
	Uses:    fn.Uses{fn.Postgres},
	Timeout: 2 * time.Second,
}, New)

const maxTenants = 150 // in one request

// A Request names tenants.
type Request struct {
	Tenants []id.Tenant `json:"tenantIds"`
}

// Validate rejects an empty list and one that is too long.
func (r *Request) Validate() error {
	if len(r.Tenants) == 0 || len(r.Tenants) > maxTenants {
		return standin.Refuse("/tenantIds", "count", "Name 1 to 150 tenants.")
	}
	return nil
}

// A Response lists the brands of the tenants that have published a theme.
type Response struct {
	Brands []directory.Brand `json:"brands"`
}

// New returns the handler with its stores and clients.
func New(e env.Env) (fn.Serve[Request, Response], error) {
	themes := directory.OpenThemes(e)
	return func(ctx context.Context, c fn.Call[Request]) (Response, error) {
		all, err := themes.Brands(ctx, c.In.Tenants)
		return Response{all}, err
	}, nil
}
