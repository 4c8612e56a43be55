// Package changedates changes the dates of a booked reservation.
package changedates

import (
	"context"
	"time"

	"melmastoon.ghasi.io/functions/reservation"
	"melmastoon.ghasi.io/functions/reservation/internal/booking"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
)

// Function serves POST /api/v1/reservations/{id}/dates.
var Function = reservation.FrontDesk(fn.Spec{
	Name:       "reservation-changedates",
	Route:      "POST /api/v1/reservations/{id}/dates",
	Uses:       fn.Uses{fn.Postgres, fn.Upstream("pricing"), fn.Upstream("inventory"), fn.Upstream("payment"), fn.Upstream("lock")},
	Publishes:  fn.Subjects{booking.ModifiedV1, booking.DatesChangedV1, booking.CheckedInV1},
	Idempotent: true,
	Timeout:    3 * time.Second,
}, New)

// A Request holds the new dates. With If-Match it applies only to that version of the reservation. A dry run returns the same
// figures and changes nothing.
type Request struct {
	ID     id.Reservation     `path:"id" json:"-"`
	Match  fn.Maybe[fn.Match] `header:"If-Match" json:"-"`
	Stay   booking.Stay       `json:"stayWindow"`
	DryRun bool               `json:"dryRun,omitzero"`
}

// New builds the function with the resources that its Spec declares.
func New(e env.Env) (reservation.Serve[Request, reservation.Changed], error) {
	changer := booking.OpenChanger(e)
	return func(ctx context.Context, c reservation.Call[Request]) (reservation.Changed, error) {
		call := reservation.ChangeOf(c, c.In.ID, c.In.Match, c.In.DryRun)
		return reservation.AnswerChange(call)(changer.Change(ctx, call, changer.Dates(c.Act, c.In.Stay)))
	}, nil
}
