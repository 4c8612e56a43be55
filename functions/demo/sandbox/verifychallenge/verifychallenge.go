// Package verifychallenge verifies the response to a challenge that a visitor of the consumer site has solved.
package verifychallenge

import (
	"context"

	"melmastoon.ghasi.io/functions/demo/sandbox"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
)

// Function serves POST /sandbox/challenge/v1/verifications.
var Function = sandbox.HTTP(fn.Spec{
	Name:   "sandbox-verifychallenge",
	Route:  "POST /sandbox/challenge/v1/verifications",
	Access: fn.Internal,
	Uses:   fn.Uses{fn.Documents},
}, New)

// A Request is the response to a challenge. [sandbox.Challenges] lists the responses that pass.
type Request struct {
	Response string `json:"response"`
}

// A Response is the outcome.
type Response struct {
	Outcome sandbox.ChallengeOutcome `json:"outcome"`
}

type handler struct {
	challenges sandbox.Challenges
}

// New builds the function with the resources that its Spec declares.
func New(e env.Env) (fn.Serve[Request, Response], error) {
	return (&handler{sandbox.OpenChallenges(e)}).verify, nil
}

func (h *handler) verify(ctx context.Context, c fn.Call[Request]) (Response, error) {
	outcome, err := h.challenges.Verify(ctx, c.In.Response)
	return Response{outcome}, err
}
