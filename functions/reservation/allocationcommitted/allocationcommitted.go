// Package allocationcommitted records that inventory has published an allocation of a hold.
package allocationcommitted

import (
	"context"
	"errors"
	"fmt"
	"time"

	"melmastoon.ghasi.io/functions/reservation"
	"melmastoon.ghasi.io/functions/reservation/internal/booking"
	"melmastoon.ghasi.io/functions/reservation/internal/service"
	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
	"melmastoon.ghasi.io/shared/platform/inbox"
	"melmastoon.ghasi.io/shared/platform/postgres"
)

// Function consumes melmastoon.inventory.allocation.committed.v1.
var Function = reservation.Event(fn.Spec{
	Name:    "reservation-allocationcommitted",
	Subject: "melmastoon.inventory.allocation.committed.v1",
	Uses:    fn.Uses{fn.Postgres},
	Timeout: 10 * time.Second,
}, New)

// Taken is the part of the event that this function reads.
type Taken struct {
	Reservation id.Reservation `json:"reservationId"`
	Allocation  id.Allocation  `json:"allocationId"`
	ExpiresAt   time.Time      `json:"expiresAt,omitzero"`
}

type handler struct {
	db           *postgres.DB
	reservations booking.Reservations
	now          func() time.Time
}

// New returns the handler with its stores and clients.
func New(e env.Env) (fn.Handle[Taken], error) {
	return (&handler{
		db:           postgres.Open(e, service.Schema),
		reservations: booking.OpenReservations(e),
		now:          e.Now,
	}).record, nil
}

func (h *handler) record(ctx context.Context, e event.Event[Taken]) error {
	err := inbox.Once(ctx, h.db, e.Delivery, func(tx postgres.Tx) error {
		return h.reservations.RoomsTaken(ctx, tx, *e.Delivery.Tenant, e.Payload.Reservation, e.Payload.Allocation)
	})
	// Inventory publishes at once, so the event may arrive before the reservation is stored. Retry until the hold
	// expires; after that the reservation will never exist.
	switch {
	case !errors.Is(err, booking.ErrNotFound):
		return err
	case h.now().Before(e.Payload.ExpiresAt):
		return fault.ErrUnavailable.Because(fmt.Errorf("early, retried: %w", err)) // jobs/timeline/booking has the same words
	}
	return nil
}
