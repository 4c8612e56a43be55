// Package issuekey issues an electronic key of a room.
package issuekey

import (
	"context"
	"time"

	"melmastoon.ghasi.io/functions/demo/sandbox"
	"melmastoon.ghasi.io/functions/demo/sandbox/internal/lock"
	"melmastoon.ghasi.io/functions/demo/sandbox/internal/scenario"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
)

// Function serves POST /sandbox/lock/v1/keys. The key's id makes it idempotent.
var Function = sandbox.HTTP(fn.Spec{
	Name:      "sandbox-issuekey",
	Route:     "POST /sandbox/lock/v1/keys",
	Answer:    fn.Accepted,
	Uses:      fn.Uses{fn.Postgres},
	Publishes: fn.Subjects{lock.KeyIssuedV1, lock.KeyFailedV1},
	Timeout:   2 * time.Second,
}, New)

// A Request is the key. The caller chooses its id.
type Request = lock.Key

// A Response is the status of the key. It is pending for the first request: the event tells the outcome.
type Response struct {
	ID     id.KeyCredential `json:"keyCredentialId"`
	Status lock.KeyStatus   `json:"status"`
}

// New returns the handler with its stores and clients.
func New(e env.Env) (fn.Serve[Request, Response], error) {
	keys := lock.OpenKeys(e)
	return func(ctx context.Context, c fn.Call[Request]) (Response, error) {
		status, err := keys.Issue(ctx, c.In, scenario.Requested(c.Header, scenario.LockFailed))
		return Response{ID: c.In.ID, Status: status}, err
	}, nil
}
