// Package showreservation serves the page of one reservation, with what the desk can do with it.
package showreservation

import (
	"context"
	"time"

	"melmastoon.ghasi.io/functions/demo/frontdesk"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/fn"
)

// Function serves GET /desk/reservations/{reservationId}.
var Function = frontdesk.HTTP(fn.Spec{
	Name:    "frontdesk-showreservation",
	Route:   "GET " + frontdesk.Home + "/reservations/{reservationId}",
	Uses:    fn.Uses{fn.Upstream("property")},
	Timeout: 8 * time.Second,
}, show)

// A Request names the reservation, and a change whose figures are asked for: guest_cancelled, staff_cancelled, no_show or dates.
type Request struct {
	Reservation   id.Reservation `path:"reservationId"`
	Plan          string         `query:"plan,optional"`
	CheckIn       string         `query:"checkIn,optional"`
	CheckOut      string         `query:"checkOut,optional"`
	CheckOutDay   string         `query:"checkOutDay,optional"` // day, month and year of the solar calendar
	CheckOutMonth string         `query:"checkOutMonth,optional"`
	CheckOutYear  string         `query:"checkOutYear,optional"`
	Notice        string         `query:"notice,optional"`
	Problem       string         `query:"problem,optional"`
	Due           string         `query:"due,optional"` // what a refused check-out leaves unpaid, in micro units
}

func show(ctx context.Context, c frontdesk.Call[Request]) (fn.Page, error) {
	out := frontdesk.ChosenDate{Value: c.In.CheckOut, Day: c.In.CheckOutDay, Month: c.In.CheckOutMonth, Year: c.In.CheckOutYear}
	return c.ReservationPage(ctx, c.In.Reservation, frontdesk.Asked{Plan: c.In.Plan, CheckIn: c.In.CheckIn, CheckOut: out.String(),
		Notice: c.In.Notice, Problem: c.In.Problem, Due: c.In.Due}), nil
}
