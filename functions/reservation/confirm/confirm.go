// Package confirm confirms a held reservation that is paid for or will be paid in cash on arrival.
package confirm

import (
	"context"
	"time"

	"melmastoon.ghasi.io/functions/reservation"
	"melmastoon.ghasi.io/functions/reservation/internal/booking"
	"melmastoon.ghasi.io/functions/reservation/internal/platform"
	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
	"melmastoon.ghasi.io/shared/platform/postgres"
)

// Function serves POST /api/v1/reservations/{id}/confirm.
var Function = reservation.HTTP(fn.Spec{
	Name:       "reservation-confirm",
	Route:      "POST /api/v1/reservations/{id}/confirm",
	Uses:       fn.Uses{fn.Postgres, fn.Upstream("payment"), fn.Upstream("inventory")},
	Publishes:  fn.Subjects{booking.ConfirmedV1, booking.CancelledV1, booking.ModifiedV1, booking.DatesChangedV1},
	Idempotent: true,
	Timeout:    5 * time.Second,
}, New)

// A Request names the payment. With If-Match it applies only to that version of the reservation.
type Request struct {
	ID     id.Reservation     `path:"id" json:"-"`
	Match  fn.Maybe[fn.Match] `header:"If-Match" json:"-"`
	Method booking.Method     `json:"method"`
	Intent *id.Intent         `json:"paymentIntentId,omitzero"`
}

// Validate requires the intent of the captured payment, except for cash: its intent is created here.
func (r Request) Validate() error {
	if r.Intent == nil && r.Method != booking.CashOnArrival {
		return fault.ErrValidation.With(fault.Violation{Pointer: "/paymentIntentId", Rule: "required", Message: "is required unless cash is paid on arrival"})
	}
	return nil
}

// confirming is the use case. The handler of payment captures runs it too.
type confirming interface {
	Confirm(context.Context, booking.Claim, booking.Within) (*booking.Reservation, error)
}

type handler struct {
	useCase      confirming
	reservations booking.Reservations
}

// New returns the handler with its stores and clients.
func New(e env.Env) (reservation.Serve[Request, reservation.Whole], error) {
	return (&handler{booking.OpenConfirmer(e, platform.Open(e)), booking.OpenReservations(e)}).confirm, nil
}

func (h *handler) confirm(ctx context.Context, c reservation.Call[Request]) (reservation.Whole, error) {
	claim := booking.Claim{
		Scope: c.Scope, Reservation: c.In.ID, Intent: c.In.Intent, Method: c.In.Method, Allows: c.In.Match.Or(fn.Match{}).Allows,
	}
	r, err := h.useCase.Confirm(ctx, claim, func(ctx context.Context, write func(postgres.Tx) error) error {
		return h.reservations.In(ctx, c.Tenant, write)
	})
	if err != nil {
		return reservation.Whole{}, err
	}
	return reservation.Answer(fn.OK, r, c.Principal), nil
}
