// Package readintent returns a payment intent.
package readintent

import (
	"context"
	"time"

	"melmastoon.ghasi.io/functions/demo/sandbox"
	"melmastoon.ghasi.io/functions/demo/sandbox/internal/payment"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
)

// Function serves GET /sandbox/payment/v1/intents/{intentId}.
var Function = sandbox.HTTP(fn.Spec{
	Name:    "sandbox-readintent",
	Route:   "GET /sandbox/payment/v1/intents/{intentId}",
	Uses:    fn.Uses{fn.Postgres},
	Timeout: 2 * time.Second,
}, New)

// A Request names an intent.
type Request struct {
	Intent id.Intent `path:"intentId"`
}

// A Response is the intent in its effective state, with the id of its capture event.
type Response = payment.IntentView

// New returns the handler with its stores and clients.
func New(e env.Env) (fn.Serve[Request, Response], error) {
	intents := payment.OpenIntents(e)
	return func(ctx context.Context, c fn.Call[Request]) (Response, error) {
		i, err := intents.Get(ctx, c.In.Intent)
		return i.View(), err
	}, nil
}
