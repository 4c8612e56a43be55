// Package rotatekeys replaces the key that signs staff tokens.
package rotatekeys

import (
	"context"
	"time"

	"melmastoon.ghasi.io/functions/demo/sandbox"
	"melmastoon.ghasi.io/functions/demo/sandbox/internal/iam"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
)

// Function serves POST /sandbox/iam/v1/keys. Earlier keys stay in the JWKS for a day.
var Function = sandbox.HTTP(fn.Spec{
	Name:    "sandbox-rotatekeys",
	Route:   "POST /sandbox/iam/v1/keys",
	Answer:  fn.Created,
	Uses:    fn.Uses{fn.Postgres},
	Timeout: 2 * time.Second,
}, New)

// A Response is the id of the new key.
type Response struct {
	ID string `json:"kid"`
}

// New returns the handler with its stores and clients.
func New(e env.Env) (fn.Serve[fn.Nothing, Response], error) {
	staff, err := iam.OpenStaff(e)
	return func(ctx context.Context, _ fn.Call[fn.Nothing]) (Response, error) {
		kid, err := staff.Rotate(ctx)
		return Response{kid}, err
	}, err
}
