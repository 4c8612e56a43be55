// Package paymentfailed cancels a hold whose payment has failed permanently.
package paymentfailed

import (
	"context"
	"errors"
	"time"

	"melmastoon.ghasi.io/functions/reservation"
	"melmastoon.ghasi.io/functions/reservation/internal/access"
	"melmastoon.ghasi.io/functions/reservation/internal/booking"
	"melmastoon.ghasi.io/functions/reservation/internal/platform"
	"melmastoon.ghasi.io/functions/reservation/internal/service"
	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
	"melmastoon.ghasi.io/shared/platform/inbox"
	"melmastoon.ghasi.io/shared/platform/postgres"
)

// Function consumes melmastoon.payment.transaction.failed.v1. A single decline does not publish it: the guest may try
// again.
var Function = reservation.Event(fn.Spec{
	Name:      "reservation-paymentfailed",
	Subject:   "melmastoon.payment.transaction.failed.v1",
	Uses:      fn.Uses{fn.Postgres, fn.Upstream("payment")},
	Publishes: fn.Subjects{booking.CancelledV1},
	Timeout:   10 * time.Second,
}, New)

// Failed is the part of the event that this function reads.
type Failed struct {
	Reservation id.Reservation `json:"reservationId"`
}

// payments returns whether another intent may still pay. The events of two intents can arrive in any order.
type payments interface {
	Pending(context.Context, id.Tenant, id.Reservation) (bool, error)
}

type handler struct {
	db           *postgres.DB
	payments     payments
	reservations booking.Reservations
	now          func() time.Time
}

// New returns the handler with its stores and clients.
func New(e env.Env) (fn.Handle[Failed], error) {
	return (&handler{
		db:           postgres.Open(e, service.Schema),
		payments:     platform.OpenPayments(e),
		reservations: booking.OpenReservations(e),
		now:          e.Now,
	}).cancel, nil
}

func (h *handler) cancel(ctx context.Context, e event.Event[Failed]) error {
	pending, err := h.payments.Pending(ctx, *e.Delivery.Tenant, e.Payload.Reservation)
	if err != nil {
		return err
	}
	return inbox.Once(ctx, h.db, e.Delivery, func(tx postgres.Tx) error {
		r, err := h.reservations.Lock(ctx, tx, access.Scope{Tenant: *e.Delivery.Tenant}, e.Payload.Reservation)
		if errors.Is(err, booking.ErrNotFound) {
			return fn.DeadLetter(err) // permanent: unknown reservation
		}
		if err != nil {
			return err
		}
		if pending || r.CancelUnpaid(h.now()) != nil {
			return nil // another intent may pay, or the hold has ended
		}
		r.Cancellation.Cause = &e.Delivery.EventID
		return h.reservations.Save(ctx, tx, r, booking.ReservationCancelled(r))
	})
}
