// Package pay begins the payment that a guest has chosen.
package pay

import (
	"context"
	"time"

	"melmastoon.ghasi.io/functions/storefront"
	"melmastoon.ghasi.io/shared/env"
	"melmastoon.ghasi.io/shared/fn"
	"melmastoon.ghasi.io/shared/id"
)

// Function answers POST /site/{slug}/bookings/{draftId}/payment.
var Function = storefront.HTTP(fn.Spec{
	Name:    "storefront-pay",
	Route:   "POST /site/{slug}/bookings/{draftId}/payment",
	Access:  fn.Public,
	Uses:    fn.Uses{fn.Upstream("tenantbooking")},
	Answer:  fn.SeeOther,
	Timeout: 10 * time.Second,
}, New)

// A Request is the way to pay.
type Request struct {
	Slug   string            `path:"slug"`
	Draft  id.Draft          `path:"draftId"`
	Method storefront.Method `form:"method"`
	Once   string            `form:"once"`
	Seen   string            `form:"seen,optional"`
}

type receptionist struct {
	site *storefront.Site
}

// New builds the function from what its Spec says it uses.
func New(e env.Env) (fn.Serve[Request, fn.Page], error) {
	site, err := storefront.OpenSite(e)
	return (&receptionist{site}).pay, err
}

// pay sends the guest to whoever takes the money; where that is the front desk, the booking is confirmed at once.
func (r *receptionist) pay(ctx context.Context, c fn.Call[Request]) (fn.Page, error) {
	v := r.site.Visit(c.In.Slug, c.Header, c.Now)
	v.Seen = c.In.Seen
	elsewhere, outcome, err := v.Pay(ctx, c.In.Draft, c.In.Method, c.In.Once)
	switch {
	case err != nil:
		return v.ToBooking(c.In.Draft, err), nil
	case elsewhere != "":
		return v.Away(elsewhere), nil
	case outcome.Confirmed():
		return v.ToConfirmation(outcome.Reservation), nil
	}
	return v.ToBooking(c.In.Draft, nil), nil
}
