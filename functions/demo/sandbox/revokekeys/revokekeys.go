// Package revokekeys revokes electronic keys.
package revokekeys

import (
	"context"
	"time"

	"melmastoon.ghasi.io/functions/demo/sandbox"
	"melmastoon.ghasi.io/functions/demo/sandbox/internal/lock"
	"melmastoon.ghasi.io/functions/demo/sandbox/internal/standin"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
)

// Function serves POST /sandbox/lock/v1/revocations. A repetition changes nothing.
var Function = sandbox.HTTP(fn.Spec{
	Name:    "sandbox-revokekeys",
	Route:   "POST /sandbox/lock/v1/revocations",
	Uses:    fn.Uses{fn.Postgres},
	Timeout: 2 * time.Second,
}, New)

const maxKeys = 100 // in one request

// A Request names the keys. Unknown keys are revoked in advance.
type Request struct {
	Tenant id.Tenant          `json:"tenantId"`
	Keys   []id.KeyCredential `json:"keyCredentialIds"`
}

// Validate rejects a list that is empty, too long or has duplicates.
func (r *Request) Validate() error {
	seen := map[id.KeyCredential]bool{}
	for _, k := range r.Keys {
		seen[k] = true
	}
	if len(r.Keys) == 0 || len(r.Keys) > maxKeys || len(seen) < len(r.Keys) {
		return standin.Refuse("/keyCredentialIds", "list", "Name 1 to 100 keys, each once.")
	}
	return nil
}

// A Response lists the revoked keys. It lacks keys of other tenants.
type Response struct {
	Revoked []id.KeyCredential `json:"revoked"`
}

// New returns the handler with its stores and clients.
func New(e env.Env) (fn.Serve[Request, Response], error) {
	keys := lock.OpenKeys(e)
	return func(ctx context.Context, c fn.Call[Request]) (Response, error) {
		revoked, err := keys.Revoke(ctx, c.In.Tenant, c.In.Keys)
		return Response{revoked}, err
	}, nil
}
