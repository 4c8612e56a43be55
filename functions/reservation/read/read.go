// Package read returns one reservation.
package read

import (
	"context"
	"time"

	"melmastoon.ghasi.io/functions/reservation"
	"melmastoon.ghasi.io/functions/reservation/internal/booking"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
)

// Function serves GET /api/v1/reservations/{id}.
var Function = reservation.HTTP(fn.Spec{
	Name:     "reservation-read",
	Route:    "GET /api/v1/reservations/{id}",
	Siblings: []string{"PATCH"},
	Uses:     fn.Uses{fn.Postgres},
	Timeout:  time.Second,
}, New)

// A Request names the reservation.
type Request struct {
	ID id.Reservation `path:"id"`
}

// A Response is the reservation. Staff see its special requests.
type Response struct {
	fn.Reply `json:"-"`
	booking.View
}

type handler struct {
	reservations booking.Reservations
}

// New returns the handler with its stores and clients.
func New(e env.Env) (reservation.Serve[Request, Response], error) {
	return (&handler{booking.OpenReservations(e)}).read, nil
}

func (h *handler) read(ctx context.Context, c reservation.Call[Request]) (out Response, err error) {
	found, err := h.reservations.Get(ctx, c.Scope, c.In.ID)
	if err != nil {
		return out, err
	}
	out = Response{fn.OK.Reply(), found.ViewFor(c.Principal)}
	if found.EffectiveState() == found.State { // an expired hold has the version of the held reservation
		out.Reply = fn.OK.Version(int64(found.Version))
	}
	out.Reply = out.Cached("no-store")
	return out, nil
}
