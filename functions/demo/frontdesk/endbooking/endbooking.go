// Package endbooking cancels a reservation or records a no-show, after the page has shown what it costs.
package endbooking

import (
	"context"
	"time"

	"melmastoon.ghasi.io/functions/demo/frontdesk"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/platform/fn"
	"melmastoon.ghasi.io/shared/stay"
)

// Function serves POST /desk/reservations/{reservationId}/end.
var Function = frontdesk.HTTP(fn.Spec{
	Name:    "frontdesk-endbooking",
	Route:   "POST " + frontdesk.Home + "/reservations/{reservationId}/end",
	Uses:    fn.Uses{},
	Answer:  fn.SeeOther,
	Timeout: 8 * time.Second,
}, end)

// A Request is the form of the page, with the penalty and the version of the reservation that the page showed.
type Request struct {
	Reservation id.Reservation `path:"reservationId"`
	Once        string         `form:"once"`
	Plan        string         `form:"plan"`    // guest_cancelled, staff_cancelled or no_show
	Penalty     money.Micro    `form:"penalty"` // of a cancellation, in micro units
	Version     fn.Maybe[int]  `form:"version"` // for a no-show
}

// end redirects to the reservation. If it has changed since the page showed a no-show, the page shows the new figures.
func end(ctx context.Context, c frontdesk.Call[Request]) (fn.Page, error) {
	err := c.End(ctx, c.In.Reservation, c.In.Plan, c.In.Penalty, c.In.Version.Or(0), c.In.Once)
	if frontdesk.IsStale(err) {
		return c.ToPlan(c.In.Reservation, c.In.Plan, stay.Window{}, err), nil
	}
	return c.ToReservation(c.In.Reservation, "ended", err), nil
}
