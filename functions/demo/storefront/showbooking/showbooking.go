// Package showbooking serves the current page of a booking.
package showbooking

import (
	"context"
	"time"

	"melmastoon.ghasi.io/functions/demo/storefront"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/fn"
)

// Function serves GET /site/{slug}/bookings/{draftId}.
var Function = storefront.HTTP(fn.Spec{
	Name:    "storefront-showbooking",
	Route:   "GET /site/{slug}/bookings/{draftId}",
	Uses:    fn.Uses{fn.Upstream("tenantbooking")},
	Timeout: 5 * time.Second,
}, show)

// A Request names the booking. A guest may return to the details until a payment is begun.
type Request struct {
	Draft   id.Draft `path:"draftId"`
	Step    string   `query:"step,optional"`
	Problem string   `query:"problem,optional"`
	Shown   int64    `query:"shown,optional"` // the price that the guest was shown, in minor units
}

func show(ctx context.Context, c storefront.Call[Request]) (fn.Page, error) {
	if err := c.Enter(ctx); err != nil {
		return c.UnavailablePage(err), nil
	}
	return c.ResumePage(ctx, c.In.Draft, storefront.Address{Step: c.In.Step, Problem: c.In.Problem, Shown: c.In.Shown}, c.Act.String()), nil
}
