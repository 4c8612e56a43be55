// Package pay begins a payment with the chosen method.
package pay

import (
	"context"
	"time"

	"melmastoon.ghasi.io/functions/demo/storefront"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/fn"
)

// Function serves POST /site/{slug}/bookings/{draftId}/payment.
var Function = storefront.HTTP(fn.Spec{
	Name:    "storefront-pay",
	Route:   "POST /site/{slug}/bookings/{draftId}/payment",
	Uses:    fn.Uses{fn.Upstream("tenantbooking")},
	Answer:  fn.SeeOther,
	Timeout: 10 * time.Second,
}, pay)

// A Request names the payment method.
type Request struct {
	Draft  id.Draft          `path:"draftId"`
	Method storefront.Method `form:"method"`
	Once   string            `form:"once"`
	Seen   string            `form:"seen,optional"`
}

// pay redirects to the payment page. Without one, it redirects to the confirmation, or to the page that waits for the guest's
// approval.
func pay(ctx context.Context, c storefront.Call[Request]) (fn.Page, error) {
	c.BootstrapVersion = c.In.Seen
	elsewhere, outcome, err := c.Pay(ctx, c.In.Draft, c.In.Method, c.In.Once)
	switch {
	case err != nil:
		return c.ToBooking(c.In.Draft, err), nil
	case elsewhere != "":
		return c.ToExternal(elsewhere), nil
	case outcome.Confirmed():
		return c.ToConfirmation(outcome.Reservation), nil
	}
	return c.ToWaiting(c.In.Draft), nil
}
