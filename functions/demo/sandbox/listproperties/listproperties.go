// Package listproperties lists the hotels of one tenant.
package listproperties

import (
	"context"
	"time"

	"melmastoon.ghasi.io/functions/demo/sandbox"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
)

// Function serves GET /sandbox/property/v1/properties.
var Function = sandbox.HTTP(fn.Spec{
	Name:    "sandbox-listproperties",
	Route:   "GET /sandbox/property/v1/properties",
	Access:  fn.Internal,
	Uses:    fn.Uses{fn.Postgres},
	Timeout: 2 * time.Second,
}, New)

// A Request names the tenant.
type Request struct {
	Tenant id.Tenant `query:"tenantId"`
}

// A Response lists the properties by name.
type Response struct {
	Properties []sandbox.Property `json:"properties"`
}

type handler struct {
	properties sandbox.Properties
}

// New builds the function with the resources that its Spec declares.
func New(e env.Env) (fn.Serve[Request, Response], error) {
	return (&handler{sandbox.OpenProperties(e)}).list, nil
}

func (h *handler) list(ctx context.Context, c fn.Call[Request]) (Response, error) {
	all, err := h.properties.List(ctx, c.In.Tenant)
	return Response{all}, err
}
