// Package changedates changes the dates of a booked reservation.
package changedates

import (
	"context"
	"time"

	"melmastoon.ghasi.io/functions/reservation"
	"melmastoon.ghasi.io/functions/reservation/internal/booking"
	"melmastoon.ghasi.io/functions/reservation/internal/platform"
	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
	"melmastoon.ghasi.io/shared/stay"
)

// Function serves POST /api/v1/reservations/{id}/dates. Like a function of the front desk it has one instance: dates change rarely.
var Function = reservation.HTTP(fn.Spec{
	Name:         "reservation-changedates",
	Route:        "POST /api/v1/reservations/{id}/dates",
	Uses:         fn.Uses{fn.Postgres, fn.Upstream("pricing"), fn.Upstream("inventory"), fn.Upstream("payment"), fn.Upstream("lock")},
	Publishes:    fn.Subjects{booking.ModifiedV1, booking.DatesChangedV1, booking.CheckedInV1},
	Idempotent:   true,
	MaxInstances: 1,
	Timeout:      3 * time.Second,
}, New)

// A Request holds the new dates. With If-Match it applies only to that version of the reservation. A dry run returns the same
// figures and changes nothing. With Max it is rejected if the new total is higher.
type Request struct {
	ID      id.Reservation        `path:"id" json:"-"`
	Match   fn.Maybe[fn.Match]    `header:"If-Match" json:"-"`
	Stay    stay.Window           `json:"stayWindow"`
	DryRun  bool                  `json:"dryRun,omitzero"`
	ByGuest bool                  `json:"byGuest,omitzero"` // the guest's rules apply, see booking.Changer.GuestDates
	Max     fn.Maybe[money.Micro] `json:"maxTotalMicro,omitzero"`
}

// Validate rejects a maximum in a change that the guest did not ask for, and a negative one.
func (r Request) Validate() error {
	if most, given := r.Max.Get(); given && (most < 0 || !r.ByGuest) {
		return fault.ErrValidation.With(fault.Violation{Pointer: "/maxTotalMicro", Rule: "range", Message: "must not be negative, and belongs to a change by the guest"})
	}
	return nil
}

// New returns the handler with its stores and clients.
func New(e env.Env) (reservation.Serve[Request, reservation.Changed], error) {
	changer := booking.OpenChanger(e, platform.Open(e))
	return func(ctx context.Context, c reservation.Call[Request]) (reservation.Changed, error) {
		if !c.In.ByGuest && !c.ActsForStaff() {
			return reservation.Changed{}, fault.ErrForbidden
		}
		call := reservation.ChangeOf(c, c.In.ID, c.In.Match, c.In.DryRun)
		call.ByGuest = c.In.ByGuest
		propose := changer.Dates(c.Act, c.In.Stay)
		if c.In.ByGuest {
			var maximum *money.Micro
			if most, given := c.In.Max.Get(); given {
				maximum = &most
			}
			propose = changer.GuestDates(c.Act, c.In.Stay, maximum)
		}
		return reservation.AnswerChange(call)(changer.Change(ctx, call, propose))
	}, nil
}
