// Package reservationcancelled releases the rooms, refunds the payments and revokes the keys of a cancelled reservation, which no
// longer counts for the popularity of its hotel.
package reservationcancelled

import (
	"context"
	"time"

	"melmastoon.ghasi.io/functions/demo/sandbox"
	"melmastoon.ghasi.io/functions/demo/sandbox/internal/inventory"
	"melmastoon.ghasi.io/functions/demo/sandbox/internal/lock"
	"melmastoon.ghasi.io/functions/demo/sandbox/internal/payment"
	"melmastoon.ghasi.io/functions/demo/sandbox/internal/search"
	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
	"melmastoon.ghasi.io/shared/platform/postgres"
)

// Function consumes melmastoon.reservation.cancelled.v1.
var Function = sandbox.Event(fn.Spec{
	Name:      "sandbox-reservationcancelled",
	Subject:   "melmastoon.reservation.cancelled.v1",
	Uses:      fn.Uses{fn.Postgres},
	Publishes: fn.Subjects{payment.TransactionFailedV1, payment.TransactionRefundedV1},
	Timeout:   10 * time.Second,
}, New)

// Cancelled is the part of the event that this function reads.
type Cancelled struct {
	Reservation id.Reservation          `json:"reservationId"`
	Property    id.Property             `json:"propertyId"`
	At          time.Time               `json:"cancelledAt"`
	Allocations []id.Allocation         `json:"inventoryAllocationIds"` // release only these: other rooms may belong to another guest
	Refunds     []payment.RefundRequest `json:"paymentRefundsRequested"`
}

type handler struct {
	inventory inventory.Inventory
	intents   payment.Intents
	keys      lock.Keys
	demand    search.Demand
}

// New returns the handler with its stores and clients.
func New(e env.Env) (sandbox.Effect[Cancelled], error) {
	return (&handler{
		inventory: inventory.Open(e),
		intents:   payment.OpenIntents(e),
		keys:      lock.OpenKeys(e),
		demand:    search.OpenDemand(e),
	}).cancel, nil
}

func (h *handler) cancel(ctx context.Context, tx postgres.Tx, e event.Event[Cancelled]) error {
	if err := h.inventory.Release(ctx, tx, e.Payload.Allocations); err != nil {
		return err
	}
	if err := h.intents.CancelLive(ctx, tx, e.Payload.Reservation); err != nil {
		return err
	}
	booked := search.Booking{Tenant: *e.Delivery.Tenant, Property: e.Payload.Property, Reservation: e.Payload.Reservation}
	if err := h.demand.Cancelled(ctx, tx, booked, e.Payload.At); err != nil {
		return err
	}
	if err := h.keys.RevokeBefore(ctx, tx, e.Payload.Reservation, e.Payload.At); err != nil {
		return err
	}
	return h.intents.RefundRequested(ctx, tx, e.Delivery.EventID, "reservation cancelled", e.Payload.Refunds)
}
