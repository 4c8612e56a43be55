// Package noshow records that a guest did not come, or the guests of the rooms that are still expected.
package noshow

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

// Function serves POST /api/v1/reservations/{id}/no-show.
var Function = reservation.FrontDesk(fn.Spec{
	Name:       "reservation-noshow",
	Route:      "POST /api/v1/reservations/{id}/no-show",
	Uses:       fn.Uses{fn.Postgres, fn.Upstream("payment"), fn.Upstream("inventory")},
	Publishes:  fn.Subjects{booking.NoShowV1, booking.ModifiedV1},
	Idempotent: true,
	Timeout:    3 * time.Second,
}, New)

// A Request may waive the penalty. A dry run returns the penalty and the refunds and changes nothing.
type Request struct {
	ID     id.Reservation     `path:"id" json:"-"`
	Match  fn.Maybe[fn.Match] `header:"If-Match" json:"-"`
	Waive  bool               `json:"waivePenalty,omitzero"`
	DryRun bool               `json:"dryRun,omitzero"`
}

// A Response is the whole reservation with the penalty and the refunds.
type Response struct {
	reservation.Whole
	Applied booking.Applied  `json:"policyApplied"`
	Refunds []booking.Refund `json:"paymentRefundsRequested"`
	DryRun  bool             `json:"dryRun,omitzero"`
}

type handler struct {
	reservations booking.Reservations
	changer      *booking.Changer
	learn        func(context.Context, *booking.Reservation) error // sets the amount already refunded
}

// New returns the handler with its stores and clients.
func New(e env.Env) (reservation.Serve[Request, Response], error) {
	up := platform.Open(e)
	return (&handler{booking.OpenReservations(e), booking.OpenChanger(e, up), up.Payments.Learn}).miss, nil
}

func (h *handler) miss(ctx context.Context, c reservation.Call[Request]) (out Response, err error) {
	err = booking.Again(ctx, func() error {
		out, err = h.attempt(ctx, c)
		return err
	})
	return out, err
}

func (h *handler) attempt(ctx context.Context, c reservation.Call[Request]) (Response, error) {
	wish := booking.MissWish{By: c.Actor, Manager: c.IsManager(), Waive: c.In.Waive}
	r, err := h.reservations.Get(ctx, c.Scope, c.In.ID)
	if err == nil && r.CheckIn != nil { // some guests of the reservation have come
		r, applied, refunds, err := h.changer.MissRooms(ctx, reservation.ChangeOf(c, c.In.ID, c.In.Match, c.In.DryRun), wish)
		if err != nil {
			return Response{}, err
		}
		return Response{reservation.Answer(fn.OK, r, c.Principal), applied, refunds, c.In.DryRun}, nil
	}
	if err == nil {
		err = h.learn(ctx, r)
	}
	if err != nil {
		return Response{}, err
	}
	after := *r
	missed, err := after.Miss(wish, c.Now)
	if err != nil {
		return Response{}, err
	}
	if missed && !c.In.Match.Or(fn.Match{}).Allows(int64(r.Version)) {
		return Response{}, fault.ErrStale
	}
	applied, refunds := after.Missed.Applied, after.Missed.Refunds
	if c.In.DryRun {
		return Response{reservation.Answer(fn.OK, r, c.Principal), applied, refunds, true}, nil
	}
	if missed {
		err = h.reservations.In(ctx, c.Tenant, func(tx postgres.Tx) error {
			return h.reservations.Save(ctx, tx, &after, booking.GuestMissed(&after))
		})
	}
	return Response{reservation.Answer(fn.OK, &after, c.Principal), applied, refunds, false}, err
}
