// Package checkout checks guests out.
package checkout

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

// Function serves POST /api/v1/reservations/{id}/check-out.
var Function = reservation.FrontDesk(fn.Spec{
	Name:       "reservation-checkout",
	Route:      "POST /api/v1/reservations/{id}/check-out",
	Uses:       fn.Uses{fn.Postgres, fn.Upstream("payment")},
	Publishes:  fn.Subjects{booking.CheckoutStartedV1, booking.EarlyCheckoutV1, booking.CheckedOutV1},
	Idempotent: true,
	Timeout:    3 * time.Second,
}, New)

// A Request without a folio starts the check-out; with a settled folio it completes it.
type Request struct {
	ID     id.Reservation     `path:"id" json:"-"`
	Match  fn.Maybe[fn.Match] `header:"If-Match" json:"-"`
	Folio  *booking.Folio     `json:"folio,omitzero"`
	Force  bool               `json:"force,omitzero"`
	Reason booking.Text       `json:"reason,omitzero"`
}

// Validate rejects reasons that are too long, and force without a folio to complete the check-out with.
func (r Request) Validate() error {
	var found []fault.Violation
	if err := booking.ValidateReason(r.Reason); err != nil {
		found = append(found, fault.Violation{Pointer: "/reason", Rule: "length", Message: err.Error()})
	}
	if r.Force && r.Folio == nil {
		found = append(found, fault.Violation{Pointer: "/folio", Rule: "required", Message: "must be present if force is true"})
	}
	if found != nil {
		return fault.ErrValidation.With(found...)
	}
	return nil
}

// A Response is the whole reservation.
type Response = reservation.Whole

type handler struct {
	reservations booking.Reservations
	learn        func(context.Context, *booking.Reservation) error // sets the amount already refunded
}

// New returns the handler with its stores and clients.
func New(e env.Env) (reservation.Serve[Request, Response], error) {
	return (&handler{booking.OpenReservations(e), platform.OpenPayments(e).Learn}).checkOut, nil
}

func (h *handler) checkOut(ctx context.Context, c reservation.Call[Request]) (out Response, err error) {
	err = booking.Again(ctx, func() error {
		out, err = h.attempt(ctx, c)
		return err
	})
	return out, err
}

func (h *handler) attempt(ctx context.Context, c reservation.Call[Request]) (Response, error) {
	r, err := h.reservations.Get(ctx, c.Scope, c.In.ID)
	if err != nil {
		return Response{}, err
	}
	if c.In.Folio != nil && r.LeavesEarly(c.Now) {
		if err := h.learn(ctx, r); err != nil {
			return Response{}, err
		}
	}
	version := int64(r.Version)
	wish := booking.LeaveWish{By: c.Actor, Manager: c.IsManager(), Folio: c.In.Folio, Force: c.In.Force, Reason: c.In.Reason}
	events, err := r.Leave(wish, c.Now)
	if err != nil || events == nil {
		return reservation.Answer(fn.OK, r, c.Principal), err
	}
	if !c.In.Match.Or(fn.Match{}).Allows(version) {
		return Response{}, fault.ErrStale
	}
	err = h.reservations.In(ctx, c.Tenant, func(tx postgres.Tx) error {
		return h.reservations.Save(ctx, tx, r, events...)
	})
	return reservation.Answer(fn.OK, r, c.Principal), err
}
