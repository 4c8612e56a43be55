// Package settlement settles the end of a stay with inventory, payment and lock.
package settlement

import (
	"context"
	"time"

	"melmastoon.ghasi.io/functions/demo/sandbox/internal/inventory"
	"melmastoon.ghasi.io/functions/demo/sandbox/internal/lock"
	"melmastoon.ghasi.io/functions/demo/sandbox/internal/payment"
	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/postgres"
)

// A Settlement is the part of an event that ends a stay: the rooms to release and the refunds. The keys of the stay open nothing from
// that time on.
type Settlement struct {
	Reservation id.Reservation          `json:"reservationId"`
	At          time.Time               `json:"occurredAt"`
	Allocations []id.Allocation         `json:"inventoryAllocationIds"` // release only these: other rooms may belong to another guest
	Refunds     []payment.RefundRequest `json:"paymentRefundsRequested"`
}

// Settle returns the effect of an event that ends a stay. The refunds have that reason.
func Settle(e env.Env, reason string) func(context.Context, postgres.Tx, event.Event[Settlement]) error {
	rooms, intents, keys := inventory.Open(e), payment.OpenIntents(e), lock.OpenKeys(e)
	return func(ctx context.Context, tx postgres.Tx, e event.Event[Settlement]) error {
		if err := rooms.Release(ctx, tx, e.Payload.Allocations); err != nil {
			return err
		}
		if err := keys.RevokeBefore(ctx, tx, e.Payload.Reservation, e.Payload.At); err != nil {
			return err
		}
		return intents.RefundRequested(ctx, tx, e.Delivery.EventID, reason, e.Payload.Refunds)
	}
}
