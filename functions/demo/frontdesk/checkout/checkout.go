// Package checkout checks guests out.
package checkout

import (
	"context"
	"time"

	"melmastoon.ghasi.io/functions/demo/frontdesk"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/fn"
)

// Function serves POST /desk/reservations/{reservationId}/check-out.
var Function = frontdesk.HTTP(fn.Spec{
	Name:    "frontdesk-checkout",
	Route:   "POST " + frontdesk.Home + "/reservations/{reservationId}/check-out",
	Uses:    fn.Uses{},
	Answer:  fn.SeeOther,
	Timeout: 8 * time.Second,
}, checkOut)

// A Request is the form of the page. A manager can force the check-out of a guest who leaves something unpaid, with a reason.
type Request struct {
	Reservation id.Reservation `path:"reservationId"`
	Once        string         `form:"once"`
	Force       string         `form:"force,optional"` // "on" to force it
	Reason      string         `form:"reason,optional"`
}

func checkOut(ctx context.Context, c frontdesk.Call[Request]) (fn.Page, error) {
	r, err := c.Reservation(ctx, c.In.Reservation)
	if err == nil {
		err = c.CheckOut(ctx, r, c.In.Force != "", c.In.Reason, c.In.Once)
	}
	return c.ToReservation(c.In.Reservation, "departed", err), nil
}
