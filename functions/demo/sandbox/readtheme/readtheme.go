// Package readtheme returns a tenant's latest theme.
package readtheme

import (
	"context"
	"time"

	"melmastoon.ghasi.io/functions/demo/sandbox"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
)

// Function serves GET /sandbox/theme/v1/tenants/{tenantId}/theme.
var Function = sandbox.HTTP(fn.Spec{
	Name:    "sandbox-readtheme",
	Route:   "GET /sandbox/theme/v1/tenants/{tenantId}/theme",
	Access:  fn.Internal,
	Uses:    fn.Uses{fn.Postgres},
	Timeout: 2 * time.Second,
}, New)

// A Request names the tenant.
type Request struct {
	Tenant id.Tenant `path:"tenantId"`
}

// A Response is the theme.
type Response = sandbox.Theme

type handler struct {
	themes sandbox.Themes
}

// New builds the function with the resources that its Spec declares.
func New(e env.Env) (fn.Serve[Request, Response], error) {
	return (&handler{sandbox.OpenThemes(e)}).read, nil
}

func (h *handler) read(ctx context.Context, c fn.Call[Request]) (Response, error) {
	return h.themes.Published(ctx, c.In.Tenant)
}
