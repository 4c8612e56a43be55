// Package paymentcaptured confirms a held reservation once it is paid for.
package paymentcaptured

import (
	"context"
	"errors"
	"time"

	"melmastoon.ghasi.io/functions/reservation"
	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
	"melmastoon.ghasi.io/shared/platform/inbox"
	"melmastoon.ghasi.io/shared/platform/postgres"
)

// Function hears melmastoon.payment.transaction.captured.v1.
var Function = reservation.Event(fn.Spec{
	Name:      "reservation-paymentcaptured",
	Subject:   "melmastoon.payment.transaction.captured.v1",
	Uses:      fn.Uses{fn.Postgres, fn.Upstream("payment"), fn.Upstream("inventory")},
	Publishes: fn.Subjects{reservation.ConfirmedV1, reservation.CancelledV1},
	Timeout:   10 * time.Second,
}, New)

// Captured is the part of the event that is read here. How much was captured is asked of the payment service.
type Captured struct {
	Reservation id.Reservation `json:"reservationId"`
	Intent      id.Intent      `json:"paymentIntentId"`
}

// confirming is the use case, which a call to confirm runs too.
type confirming interface {
	Confirm(context.Context, reservation.Claim, reservation.Within) (*reservation.Reservation, error)
}

type confirmer struct {
	db      *postgres.DB
	useCase confirming
}

// New builds the function from what its Spec says it uses.
func New(e env.Env) (fn.Handle[Captured], error) {
	return (&confirmer{postgres.Open(e, reservation.Schema), reservation.OpenConfirmer(e)}).confirm, nil
}

func (c *confirmer) confirm(ctx context.Context, e event.Event[Captured]) error {
	claim := reservation.Claim{
		Scope: reservation.Scope{Tenant: *e.Delivery.Tenant}, Reservation: e.Payload.Reservation, Intent: &e.Payload.Intent,
	}
	_, err := c.useCase.Confirm(ctx, claim, func(ctx context.Context, write func(postgres.Tx) error) error {
		return inbox.Once(ctx, c.db, e.Delivery, write)
	})
	switch {
	case errors.Is(err, reservation.ErrNotFound), errors.Is(err, reservation.ErrForeign):
		return fn.DeadLetter(err) // no retry will make it exist, or be its money
	case errors.Is(err, reservation.ErrOverbooked), errors.Is(err, reservation.ErrIllegalTransition), errors.Is(err, reservation.ErrTooLittle):
		return nil // the money bought nothing, and is on its way back
	}
	return err // an ErrNotCaptured too: where payment is asked, it may learn of the capture later than we did
}
