// Package listintents lists the payment intents of a reservation.
package listintents

import (
	"context"
	"time"

	"melmastoon.ghasi.io/functions/demo/sandbox"
	"melmastoon.ghasi.io/functions/demo/sandbox/internal/payment"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
)

// Function serves GET /sandbox/payment/v1/intents.
var Function = sandbox.HTTP(fn.Spec{
	Name:     "sandbox-listintents",
	Route:    "GET /sandbox/payment/v1/intents",
	Siblings: []string{"POST"},
	Uses:     fn.Uses{fn.Postgres},
	Timeout:  2 * time.Second,
}, New)

// A Request names the reservation and its tenant.
type Request struct {
	Tenant      id.Tenant      `query:"tenantId"`
	Reservation id.Reservation `query:"reservationId"`
}

// A Response lists all intents, oldest first. It is empty for an unknown reservation.
type Response struct {
	Intents []payment.IntentView `json:"intents"`
}

// New returns the handler with its stores and clients.
func New(e env.Env) (fn.Serve[Request, Response], error) {
	intents := payment.OpenIntents(e)
	return func(ctx context.Context, c fn.Call[Request]) (Response, error) {
		all, err := intents.Of(ctx, c.In.Tenant, c.In.Reservation)
		return Response{all}, err
	}, nil
}
