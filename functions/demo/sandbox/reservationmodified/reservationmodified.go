// Package reservationmodified refunds what a change of a reservation saves, and revokes the keys that it replaces.
package reservationmodified

import (
	"context"
	"slices"
	"time"

	"melmastoon.ghasi.io/functions/demo/sandbox"
	"melmastoon.ghasi.io/functions/demo/sandbox/internal/lock"
	"melmastoon.ghasi.io/functions/demo/sandbox/internal/payment"
	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
	"melmastoon.ghasi.io/shared/platform/postgres"
)

// Function consumes melmastoon.reservation.modified.v1.
var Function = sandbox.Event(fn.Spec{
	Name:      "sandbox-reservationmodified",
	Subject:   "melmastoon.reservation.modified.v1",
	Uses:      fn.Uses{fn.Postgres},
	Publishes: fn.Subjects{payment.TransactionRefundedV1},
	Timeout:   10 * time.Second,
}, New)

// Modified is the part of the event that this function reads.
type Modified struct {
	Before  keys     `json:"before"`
	After   keys     `json:"after"`
	Request *request `json:"refundOrChargeRequest"`
}

type keys struct {
	IDs []id.KeyCredential `json:"keyCredentialIds"`
}

// A request names one intent, or lists the refunds of several. A charge is collected elsewhere.
type request struct {
	Direction string                  `json:"direction"`
	Refund    *id.Refund              `json:"refundId"`
	Intent    *id.Intent              `json:"paymentIntentId"`
	Amount    money.Micro             `json:"amountMicro"`
	Refunds   []payment.RefundRequest `json:"paymentRefundsRequested"`
}

// refunds returns the requested refunds.
func (m Modified) refunds() []payment.RefundRequest {
	switch r := m.Request; {
	case r == nil || r.Direction != "refund":
		return nil
	case r.Intent != nil:
		return []payment.RefundRequest{{Refund: r.Refund, Intent: *r.Intent, Amount: r.Amount}}
	default:
		return r.Refunds
	}
}

// replaced returns the keys that the change took away.
func (m Modified) replaced() []id.KeyCredential {
	return slices.DeleteFunc(slices.Clone(m.Before.IDs), func(k id.KeyCredential) bool { return slices.Contains(m.After.IDs, k) })
}

type handler struct {
	intents payment.Intents
	keys    lock.Keys
}

// New returns the handler with its stores and clients.
func New(e env.Env) (sandbox.Effect[Modified], error) {
	return (&handler{intents: payment.OpenIntents(e), keys: lock.OpenKeys(e)}).settle, nil
}

func (h *handler) settle(ctx context.Context, tx postgres.Tx, e event.Event[Modified]) error {
	if gone := e.Payload.replaced(); len(gone) > 0 {
		if _, err := h.keys.RevokeIn(ctx, tx, *e.Delivery.Tenant, gone); err != nil {
			return err
		}
	}
	return h.intents.RefundRequested(ctx, tx, e.Delivery.EventID, "reservation modified", e.Payload.refunds())
}
