// Package readjwks returns the public keys that verify staff tokens.
package readjwks

import (
	"context"
	"time"

	"melmastoon.ghasi.io/functions/demo/sandbox"
	"melmastoon.ghasi.io/functions/demo/sandbox/internal/iam"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
)

// Function serves GET /sandbox/iam/v1/jwks.
var Function = sandbox.Public(fn.Spec{ // the keys are public, and verifiers have no token for this issuer
	Name:    "sandbox-readjwks",
	Route:   "GET /sandbox/iam/v1/jwks",
	Uses:    fn.Uses{fn.Postgres},
	Timeout: 2 * time.Second,
}, New)

// A Response is a JSON Web Key Set (RFC 7517), newest key first.
type Response struct {
	fn.Reply `json:"-"`

	Keys []iam.PublicKey `json:"keys"`
}

// New returns the handler with its stores and clients.
func New(e env.Env) (fn.Serve[fn.Nothing, Response], error) {
	staff, err := iam.OpenStaff(e)
	return func(ctx context.Context, _ fn.Call[fn.Nothing]) (Response, error) {
		all, err := staff.Keys(ctx)
		return Response{Reply: fn.OK.Reply().Cached("public, max-age=60"), Keys: all}, err
	}, err
}
