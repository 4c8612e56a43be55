// Package changestay moves a guest to another room of the same type, or changes the dates after the page has shown what they cost.
package changestay

import (
	"context"
	"time"

	"melmastoon.ghasi.io/functions/demo/frontdesk"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/fn"
	"melmastoon.ghasi.io/shared/stay"
)

// Function serves POST /desk/reservations/{reservationId}/stay.
var Function = frontdesk.HTTP(fn.Spec{
	Name:    "frontdesk-changestay",
	Route:   "POST " + frontdesk.Home + "/reservations/{reservationId}/stay",
	Uses:    fn.Uses{},
	Answer:  fn.SeeOther,
	Timeout: 8 * time.Second,
}, change)

// A Request is one of two forms of the page: the item and its new room, separated by a dot, or dates with the version of the reservation
// whose figures the page showed.
type Request struct {
	Reservation id.Reservation      `path:"reservationId"`
	Once        string              `form:"once"`
	Room        string              `form:"room,optional"`
	CheckIn     fn.Maybe[stay.Date] `form:"checkIn"`
	CheckOut    fn.Maybe[stay.Date] `form:"checkOut"`
	Version     fn.Maybe[int]       `form:"version"`
}

// change redirects to the reservation. If it has changed since the page showed the figures, the page shows the new ones.
func change(ctx context.Context, c frontdesk.Call[Request]) (fn.Page, error) {
	if c.In.Room != "" {
		rooms, err := frontdesk.ParseRooms([]string{c.In.Room})
		if err == nil {
			err = c.Move(ctx, c.In.Reservation, rooms[0], c.In.Once)
		}
		return c.ToReservation(c.In.Reservation, "moved", err), nil
	}
	to := stay.Window{Start: c.In.CheckIn.Or(stay.Date{}), End: c.In.CheckOut.Or(stay.Date{})}
	err := c.ChangeDates(ctx, c.In.Reservation, to, c.In.Version.Or(0), c.In.Once)
	if frontdesk.IsStale(err) {
		return c.ToPlan(c.In.Reservation, frontdesk.NewDates, to, err), nil
	}
	return c.ToReservation(c.In.Reservation, "changed", err), nil
}
