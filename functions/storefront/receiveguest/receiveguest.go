// Package receiveguest receives a guest who comes back from the payment.
package receiveguest

import (
	"context"
	"time"

	"melmastoon.ghasi.io/functions/storefront"
	"melmastoon.ghasi.io/shared/env"
	"melmastoon.ghasi.io/shared/fn"
	"melmastoon.ghasi.io/shared/id"
)

// Function answers GET /site/{slug}/return/{draftId}.
var Function = storefront.HTTP(fn.Spec{
	Name:    "storefront-receiveguest",
	Route:   "GET /site/{slug}/return/{draftId}",
	Access:  fn.Public,
	Uses:    fn.Uses{fn.Upstream("tenantbooking")},
	Answer:  fn.SeeOther,
	Timeout: 8 * time.Second,
}, New)

// A Request names the booking. How the payment went nobody can say here: that is asked.
type Request struct {
	Slug  string   `path:"slug"`
	Draft id.Draft `path:"draftId"`
}

type receptionist struct {
	site *storefront.Site
}

// New builds the function from what its Spec says it uses.
func New(e env.Env) (fn.Serve[Request, fn.Page], error) {
	site, err := storefront.OpenSite(e)
	return (&receptionist{site}).receive, err
}

// receive may be asked as often as the guest looks: what it finds out is found out once.
func (r *receptionist) receive(ctx context.Context, c fn.Call[Request]) (fn.Page, error) {
	v := r.site.Visit(c.In.Slug, c.Header, c.Now)
	outcome, err := v.Return(ctx, c.In.Draft, c.Act.String())
	switch {
	case err != nil:
		return v.ToBooking(c.In.Draft, err), nil
	case outcome.Confirmed():
		return v.ToConfirmation(outcome.Reservation), nil
	}
	return v.ToWaiting(c.In.Draft), nil
}
