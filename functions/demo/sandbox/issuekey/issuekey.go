// Package issuekey issues an electronic key of a room.
package issuekey

import (
	"context"
	"time"

	"melmastoon.ghasi.io/functions/demo/sandbox"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
)

// Function serves POST /sandbox/lock/v1/keys. The key's id makes it idempotent.
var Function = sandbox.HTTP(fn.Spec{
	Name:      "sandbox-issuekey",
	Route:     "POST /sandbox/lock/v1/keys",
	Access:    fn.Internal,
	Answer:    fn.Accepted,
	Uses:      fn.Uses{fn.Postgres},
	Publishes: fn.Subjects{sandbox.KeyIssuedV1, sandbox.KeyFailedV1},
	Timeout:   2 * time.Second,
}, New)

// A Request is the key. The caller chooses its id.
type Request = sandbox.Key

// A Response is the status of the key. It is pending for the first request: the event tells the outcome.
type Response struct {
	ID     id.KeyCredential  `json:"keyCredentialId"`
	Status sandbox.KeyStatus `json:"status"`
}

type handler struct {
	keys sandbox.Keys
}

// New builds the function with the resources that its Spec declares.
func New(e env.Env) (fn.Serve[Request, Response], error) {
	return (&handler{sandbox.OpenKeys(e)}).issue, nil
}

func (h *handler) issue(ctx context.Context, c fn.Call[Request]) (Response, error) {
	status, err := h.keys.Issue(ctx, c.In, sandbox.Requested(c.Header, sandbox.LockFailed))
	return Response{ID: c.In.ID, Status: status}, err
}
