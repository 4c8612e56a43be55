// Package changestay moves a guest to another room of the same type, changes the price of a night, or changes the dates after the page
// has shown what they cost.
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

// A Request is one of three forms of the page: an item and its new room, separated by a dot; an item, the price of a night in main units
// and the reason; or dates. The last two have the version of the reservation that the page showed.
type Request struct {
	Reservation id.Reservation      `path:"reservationId"`
	Once        string              `form:"once"`
	Room        string              `form:"room,optional"`
	Item        fn.Maybe[id.Item]   `form:"item"`
	Nightly     string              `form:"nightly,optional"`
	Reason      string              `form:"reason,optional"`
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
	if item, ok := c.In.Item.Get(); ok {
		r, err := c.Reservation(ctx, c.In.Reservation)
		if err == nil {
			err = c.ChangeRate(ctx, r, item, c.In.Nightly, c.In.Reason, c.In.Version.Or(0), c.In.Once)
		}
		return c.ToReservation(c.In.Reservation, "rated", err), nil
	}
	to := stay.Window{Start: c.In.CheckIn.Or(stay.Date{}), End: c.In.CheckOut.Or(stay.Date{})}
	err := c.ChangeDates(ctx, c.In.Reservation, to, c.In.Version.Or(0), c.In.Once)
	if frontdesk.IsStale(err) {
		return c.ToPlan(c.In.Reservation, frontdesk.NewDates, to, err), nil
	}
	return c.ToReservation(c.In.Reservation, "changed", err), nil
}
