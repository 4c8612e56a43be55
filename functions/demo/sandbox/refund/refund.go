// Package refund refunds a payment in full or in part.
package refund

import (
	"context"
	"time"

	"melmastoon.ghasi.io/functions/demo/sandbox"
	"melmastoon.ghasi.io/functions/demo/sandbox/internal/payment"
	"melmastoon.ghasi.io/functions/demo/sandbox/internal/standin"
	"melmastoon.ghasi.io/shared/freetext"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
)

// Function serves POST /sandbox/payment/v1/intents/{intentId}/refunds. It is idempotent by the refund id.
var Function = sandbox.HTTP(fn.Spec{
	Name:      "sandbox-refund",
	Route:     "POST /sandbox/payment/v1/intents/{intentId}/refunds",
	Uses:      fn.Uses{fn.Postgres},
	Publishes: fn.Subjects{payment.TransactionRefundedV1},
	Timeout:   2 * time.Second,
}, New)

// A Request is the amount of the refund and its reason.
type Request struct {
	Intent id.Intent     `path:"intentId"`
	Refund id.Refund     `json:"refundId"`
	Amount money.Micro   `json:"amountMicro"`
	Reason freetext.Text `json:"reason"`
}

// Validate rejects amounts that are not positive.
func (r *Request) Validate() error {
	if r.Amount <= 0 {
		return standin.Refuse("/amountMicro", "positive", "Must be above 0.")
	}
	return nil
}

// A Response is the refunded amount, of this refund and in total.
type Response struct {
	Refund        id.Refund   `json:"refundId"`
	Amount        money.Micro `json:"amountMicro"`
	TotalRefunded money.Micro `json:"totalRefundedMicro"`
}

// New returns the handler with its stores and clients.
func New(e env.Env) (fn.Serve[Request, Response], error) {
	intents := payment.OpenIntents(e)
	return func(ctx context.Context, c fn.Call[Request]) (Response, error) {
		done, err := intents.Refund(ctx, payment.Refund{ID: c.In.Refund, Intent: c.In.Intent, Amount: c.In.Amount, Reason: string(c.In.Reason)})
		return Response{Refund: done.ID, Amount: done.Amount, TotalRefunded: done.Total}, err
	}, nil
}
