// Package paymentrefunded records executed refunds of a reservation's payments.
package paymentrefunded

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

// Function consumes melmastoon.payment.transaction.refunded.v1.
var Function = reservation.Event(fn.Spec{
	Name:         "reservation-paymentrefunded",
	Subject:      "melmastoon.payment.transaction.refunded.v1",
	Uses:         fn.Uses{fn.Postgres, fn.Upstream("payment")},
	Publishes:    fn.Subjects{booking.ModifiedV1},
	Timeout:      10 * time.Second,
	MaxInstances: 1, // rare
}, New)

// Refunded is the part of the event that this function reads. The amounts come from the payment service.
type Refunded struct {
	Reservation id.Reservation `json:"reservationId"`
	Intent      id.Intent      `json:"paymentIntentId"`
}

// recording is the use case.
type recording interface {
	Record(context.Context, booking.RefundClaim, booking.Within) error
}

type handler struct {
	db      *postgres.DB
	useCase recording
}

// New returns the handler with its stores and clients.
func New(e env.Env) (fn.Handle[Refunded], error) {
	return (&handler{postgres.Open(e, service.Schema), booking.OpenRefundRecorder(e, platform.Open(e))}).record, nil
}

func (h *handler) record(ctx context.Context, e event.Event[Refunded]) error {
	claim := booking.RefundClaim{
		Scope: access.Scope{Tenant: *e.Delivery.Tenant}, Event: e.Delivery.EventID, Reservation: e.Payload.Reservation, Intent: e.Payload.Intent,
	}
	err := h.useCase.Record(ctx, claim, reservation.Once(h.db, e.Delivery))
	if errors.Is(err, booking.ErrNotFound) || errors.Is(err, booking.ErrForeign) {
		return fn.DeadLetter(err) // permanent: unknown reservation, or another one's payment
	}
	return err // retries ErrNotCaptured too: a payment replica may lag behind the event
}
