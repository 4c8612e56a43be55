// Package collect captures the cash that a guest pays at the front desk.
package collect

import (
	"context"
	"time"

	"melmastoon.ghasi.io/functions/demo/sandbox"
	"melmastoon.ghasi.io/functions/demo/sandbox/internal/payment"
	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
)

// Function serves POST /sandbox/payment/v1/intents/{intentId}/collect. A repetition gets the same answer.
var Function = sandbox.Desk(fn.Spec{
	Name:      "sandbox-collect",
	Route:     "POST /sandbox/payment/v1/intents/{intentId}/collect",
	Uses:      fn.Uses{fn.Postgres},
	Publishes: fn.Subjects{payment.TransactionCapturedV1},
	Timeout:   2 * time.Second,
}, New)

// A Request names an intent.
type Request struct {
	Intent id.Intent `path:"intentId"`
}

// A Response is the captured intent, with the id of its capture event.
type Response = payment.IntentView

// New returns the handler with its stores and clients.
func New(e env.Env) (sandbox.DeskServe[Request, Response], error) {
	intents := payment.OpenIntents(e)
	return func(ctx context.Context, by sandbox.Caller, c fn.Call[Request]) (Response, error) {
		i, err := intents.Get(ctx, c.In.Intent)
		if err == nil && !by.AllowsTenant(i.Tenant) {
			err = fault.ErrNotFound
		}
		if err != nil {
			return Response{}, err
		}
		i, err = intents.Collect(ctx, c.In.Intent)
		return i.View(), err
	}, nil
}
