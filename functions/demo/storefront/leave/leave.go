// Package leave abandons a booking.
package leave

import (
	"context"
	"net/url"
	"time"

	"melmastoon.ghasi.io/functions/demo/storefront"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/fn"
)

// Function serves POST /site/{slug}/bookings/{draftId}/leave.
var Function = storefront.HTTP(fn.Spec{
	Name:    "storefront-leave",
	Route:   "POST /site/{slug}/bookings/{draftId}/leave",
	Uses:    fn.Uses{fn.Upstream("tenantbooking")},
	Answer:  fn.SeeOther,
	Timeout: 5 * time.Second,
}, leave)

// A Request names the booking.
type Request struct {
	Draft id.Draft `path:"draftId"`
	Once  string   `form:"once"`
}

func leave(ctx context.Context, c storefront.Call[Request]) (fn.Page, error) {
	if err := c.Abandon(ctx, c.In.Draft, c.In.Once); err != nil {
		return c.ToBooking(c.In.Draft, err), nil
	}
	return c.To("", url.Values{"notice": {"left"}}), nil
}
