// Package takecash takes an amount in cash at the desk.
package takecash

import (
	"context"
	"time"

	"melmastoon.ghasi.io/functions/demo/frontdesk"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/fn"
)

// Function serves POST /desk/reservations/{reservationId}/cash.
var Function = frontdesk.HTTP(fn.Spec{
	Name:    "frontdesk-takecash",
	Route:   "POST " + frontdesk.Home + "/reservations/{reservationId}/cash",
	Uses:    fn.Uses{fn.Upstream("payment")},
	Answer:  fn.SeeOther,
	Timeout: 8 * time.Second,
}, take)

// A Request is the form of the page, with what was paid and not paid back when the page was shown.
type Request struct {
	Reservation id.Reservation `path:"reservationId"`
	Amount      string         `form:"amount"` // in main units, in digits of any script
	Paid        string         `form:"paid"`   // in micro units
}

func take(ctx context.Context, c frontdesk.Call[Request]) (fn.Page, error) {
	r, err := c.Reservation(ctx, c.In.Reservation)
	if err == nil {
		err = c.TakeCash(ctx, r, c.In.Amount, c.In.Paid)
	}
	return c.ToReservation(c.In.Reservation, "paid", err), nil
}
