// Package publishtheme publishes a new version of a tenant's theme.
package publishtheme

import (
	"context"
	"time"

	"melmastoon.ghasi.io/functions/demo/sandbox"
	"melmastoon.ghasi.io/functions/demo/sandbox/internal/directory"
	"melmastoon.ghasi.io/functions/demo/sandbox/internal/search"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
)

// Function serves POST /sandbox/theme/v1/tenants/{tenantId}/theme/publish.
var Function = sandbox.HTTP(fn.Spec{
	Name:      "sandbox-publishtheme",
	Route:     "POST /sandbox/theme/v1/tenants/{tenantId}/theme/publish",
	Answer:    fn.Created,
	Uses:      fn.Uses{fn.Postgres},
	Publishes: fn.Subjects{directory.ThemePublishedV1, search.ListingIndexedV1},
	Timeout:   2 * time.Second,
}, New)

// A Request contains all tokens of the theme.
type Request struct {
	Tenant id.Tenant        `path:"tenantId"`
	Tokens directory.Tokens `json:"tokens"`
}

// Validate rejects tokens that are not valid in a style sheet.
func (r *Request) Validate() error { return r.Tokens.Validate() }

// A Response is the published theme.
type Response = directory.Theme

// New returns the handler with its stores and clients.
func New(e env.Env) (fn.Serve[Request, Response], error) {
	themes := directory.OpenThemes(e)
	return func(ctx context.Context, c fn.Call[Request]) (Response, error) {
		return themes.Publish(ctx, c.In.Tenant, c.In.Tokens)
	}, nil
}
