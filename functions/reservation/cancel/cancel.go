// Package cancel cancels a reservation under the terms of its policy.
package cancel

import (
	"context"
	"time"

	"melmastoon.ghasi.io/functions/reservation"
	"melmastoon.ghasi.io/functions/reservation/internal/booking"
	"melmastoon.ghasi.io/functions/reservation/internal/platform"
	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
	"melmastoon.ghasi.io/shared/platform/postgres"
)

// Function serves POST /api/v1/reservations/{id}/cancel.
var Function = reservation.HTTP(fn.Spec{
	Name:       "reservation-cancel",
	Route:      "POST /api/v1/reservations/{id}/cancel",
	Uses:       fn.Uses{fn.Postgres, fn.Upstream("payment")},
	Publishes:  fn.Subjects{booking.CancelledV1},
	Idempotent: true,
	Timeout:    5 * time.Second,
}, New)

// A Response is the whole reservation with the result of the cancellation.
type Response struct {
	reservation.Whole
	Applied booking.Applied  `json:"policyApplied"`
	Refunds []booking.Refund `json:"paymentRefundsRequested"`
	DryRun  bool             `json:"dryRun,omitzero"`
}

type handler struct {
	reservations booking.Reservations
	learn        func(context.Context, *booking.Reservation) error // sets the amount already refunded
}

// New returns the handler with its stores and clients.
func New(e env.Env) (reservation.Serve[Request, Response], error) {
	return (&handler{booking.OpenReservations(e), platform.OpenPayments(e).Learn}).cancel, nil
}

func (h *handler) cancel(ctx context.Context, c reservation.Call[Request]) (out Response, err error) {
	if !c.In.Code.AllowedTo(c.Principal) {
		return out, fault.ErrForbidden
	}
	err = booking.Outlast(ctx, func() error {
		out, err = h.attempt(ctx, c)
		return err
	})
	return out, err
}

func (h *handler) attempt(ctx context.Context, c reservation.Call[Request]) (Response, error) {
	r, err := h.reservations.Get(ctx, c.Scope, c.In.ID)
	if err == nil {
		err = h.learn(ctx, r)
	}
	if err != nil {
		return Response{}, err
	}
	if !c.In.Match.Or(fn.Match{}).Allows(int64(r.Version)) {
		return Response{}, fault.ErrStale
	}
	code := booking.Reason(c.In.Code)
	wish := booking.CancelWish{Code: code, Reason: string(c.In.Reason), By: booking.Canceller(c.Principal, r, code), MayWaive: c.IsManager(), OnlyHeld: c.In.OnlyHeld}
	applied, back, err := wish.Allows(r, c.Now)
	if err != nil {
		return Response{}, err
	}
	if maximum, given := c.In.Max.Get(); given && applied.Penalty > maximum {
		return Response{}, booking.ErrPenaltyChanged
	}
	if !c.In.DryRun {
		if err := r.CancelOnWish(wish, c.Now); err != nil {
			return Response{}, err
		}
		err = h.reservations.In(ctx, c.Tenant, func(tx postgres.Tx) error {
			return h.reservations.Save(ctx, tx, r, booking.ReservationCancelled(r))
		})
	}
	refunds := append([]booking.Refund{}, back...)
	return Response{Whole: reservation.Answer(fn.OK, r, c.Principal), Applied: applied, Refunds: refunds, DryRun: c.In.DryRun}, err
}
