// Package paymentcaptured confirms a held reservation after its payment was captured.
package paymentcaptured

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
	"melmastoon.ghasi.io/shared/platform/postgres"
)

// Function consumes melmastoon.payment.transaction.captured.v1.
var Function = reservation.Event(fn.Spec{
	Name:      "reservation-paymentcaptured",
	Subject:   "melmastoon.payment.transaction.captured.v1",
	Uses:      fn.Uses{fn.Postgres, fn.Upstream("payment"), fn.Upstream("inventory")},
	Publishes: fn.Subjects{booking.ConfirmedV1, booking.CancelledV1, booking.ModifiedV1, booking.DatesChangedV1},
	Timeout:   10 * time.Second,
}, New)

// Captured is the part of the event that this function reads. The amount comes from the payment service.
type Captured struct {
	Reservation id.Reservation `json:"reservationId"`
	Intent      id.Intent      `json:"paymentIntentId"`
}

// confirming is the use case. The confirm endpoint runs it too.
type confirming interface {
	Confirm(context.Context, booking.Claim, booking.Within) (*booking.Reservation, error)
}

type handler struct {
	db      *postgres.DB
	useCase confirming
}

// New returns the handler with its stores and clients.
func New(e env.Env) (fn.Handle[Captured], error) {
	return (&handler{postgres.Open(e, service.Schema), booking.OpenConfirmer(e, platform.Open(e))}).confirm, nil
}

func (h *handler) confirm(ctx context.Context, e event.Event[Captured]) error {
	claim := booking.Claim{
		Scope: access.Scope{Tenant: *e.Delivery.Tenant}, Reservation: e.Payload.Reservation, Intent: &e.Payload.Intent,
	}
	_, err := h.useCase.Confirm(ctx, claim, reservation.Once(h.db, e.Delivery))
	switch {
	case errors.Is(err, booking.ErrNotFound), errors.Is(err, booking.ErrForeign):
		return fn.DeadLetter(err) // permanent: unknown reservation, or another one's payment
	case errors.Is(err, booking.ErrOverbooked), errors.Is(err, booking.ErrIllegalTransition), errors.Is(err, booking.ErrTooLittle):
		return nil // the payment is being refunded
	}
	return err // retries ErrNotCaptured too: a payment replica may lag behind the event
}
