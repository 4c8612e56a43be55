// Package holdexpired releases the rooms of an expired hold, unless they are committed.
package holdexpired

import (
	"context"
	"time"

	"melmastoon.ghasi.io/functions/demo/sandbox"
	"melmastoon.ghasi.io/functions/demo/sandbox/internal/inventory"
	"melmastoon.ghasi.io/functions/demo/sandbox/internal/payment"
	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
	"melmastoon.ghasi.io/shared/platform/postgres"
)

// Function consumes melmastoon.reservation.hold_expired.v1.
var Function = sandbox.Event(fn.Spec{
	Name:      "sandbox-holdexpired",
	Subject:   "melmastoon.reservation.hold_expired.v1",
	Uses:      fn.Uses{fn.Postgres},
	Publishes: fn.Subjects{payment.TransactionFailedV1},
	Timeout:   10 * time.Second,
}, New)

// Expired is the part of the event that this function reads. An intent is cancelled only if the event names one: a
// guest who is paying at this moment may still get the rooms again.
type Expired struct {
	Allocations []id.Allocation `json:"inventoryAllocationIds"`
	Intent      *id.Intent      `json:"paymentIntentId"`
}

type handler struct {
	inventory inventory.Inventory
	intents   payment.Intents
}

// New returns the handler with its stores and clients.
func New(e env.Env) (sandbox.Effect[Expired], error) {
	return (&handler{
		inventory: inventory.Open(e),
		intents:   payment.OpenIntents(e),
	}).release, nil
}

// release is not urgent: inventory ignores the hold from its expiry on.
func (h *handler) release(ctx context.Context, tx postgres.Tx, e event.Event[Expired]) error {
	if err := h.inventory.ReleaseExpired(ctx, tx, e.Payload.Allocations); err != nil {
		return err
	}
	if e.Payload.Intent == nil {
		return nil
	}
	return h.intents.CancelNamed(ctx, tx, *e.Payload.Intent)
}
