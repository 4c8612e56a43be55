// Package readtheme returns a tenant's latest theme.
package readtheme

import (
	"context"
	"time"

	"melmastoon.ghasi.io/functions/demo/sandbox"
	"melmastoon.ghasi.io/functions/demo/sandbox/internal/directory"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
)

// Function serves GET /sandbox/theme/v1/tenants/{tenantId}/theme.
var Function = sandbox.HTTP(fn.Spec{
	Name:    "sandbox-readtheme",
	Route:   "GET /sandbox/theme/v1/tenants/{tenantId}/theme",
	Uses:    fn.Uses{fn.Postgres},
	Timeout: 2 * time.Second,
}, New)

// A Request names the tenant.
type Request struct {
	Tenant id.Tenant `path:"tenantId"`
}

// A Response is the theme.
type Response = directory.Theme

// New returns the handler with its stores and clients.
func New(e env.Env) (fn.Serve[Request, Response], error) {
	themes := directory.OpenThemes(e)
	return func(ctx context.Context, c fn.Call[Request]) (Response, error) {
		return themes.Published(ctx, c.In.Tenant)
	}, nil
}
