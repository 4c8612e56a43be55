// Package receiveguest receives a guest who returns from the payment page.
package receiveguest

import (
	"context"
	"time"

	"melmastoon.ghasi.io/functions/storefront"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/fn"
)

// Function answers GET /site/{slug}/return/{draftId}.
var Function = storefront.HTTP(fn.Spec{
	Name:    "storefront-receiveguest",
	Route:   "GET /site/{slug}/return/{draftId}",
	Uses:    fn.Uses{fn.Upstream("tenantbooking")},
	Answer:  fn.SeeOther,
	Timeout: 8 * time.Second,
}, receive)

// A Request names the booking. It does not contain the result of the payment, which is read from the booking service.
type Request struct {
	Draft id.Draft `path:"draftId"`
	Link  string   `query:"r,optional"`
	Tries int      `query:"tries,optional"` // how often the waiting page has reloaded itself
}

// receive is idempotent: the guest may reload the page.
func receive(ctx context.Context, c storefront.Call[Request]) (fn.Page, error) {
	outcome, err := c.Return(ctx, c.In.Draft, c.In.Link, c.Act.String())
	switch {
	case err != nil:
		return c.ToBooking(c.In.Draft, err), nil
	case outcome.Confirmed():
		return c.ToBooked(outcome), nil
	case outcome.Reservation.IsZero(): // another browser, which may see only this page
		if err := c.Enter(ctx); err != nil {
			return c.UnavailablePage(err), nil
		}
		return c.WaitingPage(&storefront.Draft{ID: c.In.Draft}, storefront.Address{Tries: c.In.Tries}, c.In.Link), nil
	}
	return c.ToWaiting(c.In.Draft), nil
}
