// Package reservationcancelled releases the rooms and refunds the payments of a cancelled reservation.
package reservationcancelled

import (
	"context"
	"time"

	"melmastoon.ghasi.io/functions/sandbox"
	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
	"melmastoon.ghasi.io/shared/platform/inbox"
	"melmastoon.ghasi.io/shared/platform/postgres"
)

// Function consumes melmastoon.reservation.cancelled.v1.
var Function = sandbox.Event(fn.Spec{
	Name:      "sandbox-reservationcancelled",
	Subject:   "melmastoon.reservation.cancelled.v1",
	Uses:      fn.Uses{fn.Postgres},
	Publishes: fn.Subjects{sandbox.TransactionFailedV1, sandbox.TransactionRefundedV1},
	Timeout:   10 * time.Second,
}, New)

// Cancelled is the part of the event that this function reads.
type Cancelled struct {
	Reservation id.Reservation  `json:"reservationId"`
	Allocations []id.Allocation `json:"inventoryAllocationIds"` // release only these: other rooms may belong to another guest
	Refunds     []Requested     `json:"paymentRefundsRequested"`
}

// Requested is a requested refund.
type Requested struct {
	Intent id.Intent   `json:"paymentIntentId"`
	Amount money.Micro `json:"amountMicro"`
}

type canceller struct {
	db        *postgres.DB
	inventory sandbox.Inventory
	intents   sandbox.Intents
}

// New builds the function with the resources that its Spec declares.
func New(e env.Env) (fn.Handle[Cancelled], error) {
	return (&canceller{
		db:        postgres.Open(e, sandbox.Schema),
		inventory: sandbox.OpenInventory(e),
		intents:   sandbox.OpenIntents(e),
	}).cancel, nil
}

func (c *canceller) cancel(ctx context.Context, e event.Event[Cancelled]) error {
	return inbox.Once(ctx, c.db, e.Delivery, func(tx postgres.Tx) error {
		if err := c.inventory.Release(ctx, tx, e.Payload.Allocations); err != nil {
			return err
		}
		if err := c.intents.CancelLive(ctx, tx, e.Payload.Reservation); err != nil {
			return err
		}
		for _, r := range e.Payload.Refunds {
			if err := c.intents.RefundLeft(ctx, tx, sandbox.Refund{
				ID:     id.Derive[id.Refund](e.Delivery.EventID, r.Intent.String()),
				Intent: r.Intent, Amount: r.Amount, Reason: "reservation cancelled",
			}); err != nil {
				return err
			}
		}
		return nil
	})
}
