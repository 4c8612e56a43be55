// Package allocationfailed cancels a hold whose rooms inventory has lost.
//
// Inventory can also lose the rooms of a confirmed reservation. No code can find others, so the event is dead-lettered,
// which alerts a person.
package allocationfailed

import (
	"context"
	"errors"
	"time"

	"melmastoon.ghasi.io/functions/reservation"
	"melmastoon.ghasi.io/functions/reservation/internal/access"
	"melmastoon.ghasi.io/functions/reservation/internal/booking"
	"melmastoon.ghasi.io/functions/reservation/internal/service"
	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
	"melmastoon.ghasi.io/shared/platform/fn/observe"
	"melmastoon.ghasi.io/shared/platform/inbox"
	"melmastoon.ghasi.io/shared/platform/postgres"
)

// Function consumes melmastoon.inventory.allocation.failed.v1.
var Function = reservation.Event(fn.Spec{
	Name:      "reservation-allocationfailed",
	Subject:   "melmastoon.inventory.allocation.failed.v1",
	Uses:      fn.Uses{fn.Postgres},
	Publishes: fn.Subjects{booking.CancelledV1},
	Timeout:   10 * time.Second,
}, New)

// Failed is the part of the event that this function reads.
type Failed struct {
	Reservation id.Reservation `json:"reservationId"`
	Allocation  id.Allocation  `json:"allocationId"`
}

type handler struct {
	db           *postgres.DB
	reservations booking.Reservations
	now          func() time.Time
}

// New returns the handler with its stores and clients.
func New(e env.Env) (fn.Handle[Failed], error) {
	return (&handler{
		db:           postgres.Open(e, service.Schema),
		reservations: booking.OpenReservations(e),
		now:          e.Now,
	}).cancel, nil
}

func (h *handler) cancel(ctx context.Context, e event.Event[Failed]) error {
	return inbox.Once(ctx, h.db, e.Delivery, func(tx postgres.Tx) error {
		r, err := h.reservations.Lock(ctx, tx, access.Scope{Tenant: *e.Delivery.Tenant}, e.Payload.Reservation)
		if errors.Is(err, booking.ErrNotFound) {
			return nil // the hold was rejected, so the reservation does not exist
		}
		if err != nil {
			return err
		}
		if r.Lose(e.Payload.Allocation) {
			observe.Count(ctx, observe.RoomsWithoutAlternative) // raises an alert; the desk finds the reservation under attention
			return h.reservations.Save(ctx, tx, r)
		}
		if !r.Awaits(e.Payload.Allocation) {
			return nil // the reservation has other rooms now, or has ended
		}
		if err := r.CancelLost(h.now()); err != nil {
			return err
		}
		r.Cancellation.Cause = &e.Delivery.EventID
		return h.reservations.Save(ctx, tx, r, booking.ReservationCancelled(r))
	})
}
