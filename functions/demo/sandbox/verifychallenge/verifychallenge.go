// Package verifychallenge verifies the response to a challenge that a visitor of the consumer site has solved.
package verifychallenge

import (
	"context"

	"melmastoon.ghasi.io/functions/demo/sandbox"
	"melmastoon.ghasi.io/functions/demo/sandbox/internal/challenge"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
)

// Function serves POST /sandbox/challenge/v1/verifications.
var Function = sandbox.HTTP(fn.Spec{
	Name:  "sandbox-verifychallenge",
	Route: "POST /sandbox/challenge/v1/verifications",
	Uses:  fn.Uses{fn.Documents},
}, New)

// A Request is the response to a challenge. [challenge.Challenges] lists the responses that pass.
type Request struct {
	Response string `json:"response"`
}

// A Response is the outcome.
type Response struct {
	Outcome challenge.Outcome `json:"outcome"`
}

// New returns the handler with its stores and clients.
func New(e env.Env) (fn.Serve[Request, Response], error) {
	challenges := challenge.Open(e)
	return func(ctx context.Context, c fn.Call[Request]) (Response, error) {
		outcome, err := challenges.Verify(ctx, c.In.Response)
		return Response{outcome}, err
	}, nil
}
