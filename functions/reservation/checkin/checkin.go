// Package checkin checks guests in: it assigns their rooms and asks for the keys. Guests of other rooms of the reservation can come later.
package checkin

import (
	"context"
	"time"

	"melmastoon.ghasi.io/functions/reservation"
	"melmastoon.ghasi.io/functions/reservation/internal/booking"
	"melmastoon.ghasi.io/functions/reservation/internal/platform"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
)

// Function serves POST /api/v1/reservations/{id}/check-in.
var Function = reservation.FrontDesk(fn.Spec{
	Name:       "reservation-checkin",
	Route:      "POST /api/v1/reservations/{id}/check-in",
	Uses:       fn.Uses{fn.Postgres, fn.Upstream("property"), fn.Upstream("lock")},
	Publishes:  fn.Subjects{booking.CheckInStartedV1, booking.CheckedInV1, booking.ItemsCheckedInV1},
	Idempotent: true,
	Timeout:    5 * time.Second,
}, New)

// A Request assigns a room to each item whose guests are there. With If-Match it applies only to that version of the reservation.
type Request struct {
	ID    id.Reservation         `path:"id" json:"-"`
	Match fn.Maybe[fn.Match]     `header:"If-Match" json:"-"`
	Rooms []booking.AssignedRoom `json:"rooms"`
}

// A Response is the whole reservation: 200 if the guests are checked in, 202 while keys are outstanding.
type Response = reservation.Whole

type handler struct {
	receptionist *booking.Receptionist
}

// New returns the handler with its stores and clients.
func New(e env.Env) (reservation.Serve[Request, Response], error) {
	return (&handler{booking.OpenReceptionist(e, platform.Open(e))}).checkIn, nil
}

func (h *handler) checkIn(ctx context.Context, c reservation.Call[Request]) (Response, error) {
	r, err := h.receptionist.CheckIn(ctx, c.Principal, c.In.ID, c.In.Rooms, c.Now, c.In.Match.Or(fn.Match{}).Allows)
	if err != nil {
		return Response{}, err
	}
	if r.Saga.Pending == booking.AwaitKeys {
		return reservation.Answer(fn.Accepted, r, c.Principal), nil
	}
	return reservation.Answer(fn.OK, r, c.Principal), nil
}
