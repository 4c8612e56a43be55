// Package leave gives back the rooms of a guest who wants others or none.
package leave

import (
	"context"
	"net/url"
	"time"

	"melmastoon.ghasi.io/functions/storefront"
	"melmastoon.ghasi.io/shared/env"
	"melmastoon.ghasi.io/shared/fn"
	"melmastoon.ghasi.io/shared/id"
)

// Function answers POST /site/{slug}/bookings/{draftId}/leave.
var Function = storefront.HTTP(fn.Spec{
	Name:    "storefront-leave",
	Route:   "POST /site/{slug}/bookings/{draftId}/leave",
	Access:  fn.Public,
	Uses:    fn.Uses{fn.Upstream("tenantbooking")},
	Answer:  fn.SeeOther,
	Timeout: 5 * time.Second,
}, New)

// A Request names the booking.
type Request struct {
	Slug  string   `path:"slug"`
	Draft id.Draft `path:"draftId"`
	Once  string   `form:"once"`
}

type receptionist struct {
	site *storefront.Site
}

// New builds the function from what its Spec says it uses.
func New(e env.Env) (fn.Serve[Request, fn.Page], error) {
	site, err := storefront.OpenSite(e)
	return (&receptionist{site}).leave, err
}

func (r *receptionist) leave(ctx context.Context, c fn.Call[Request]) (fn.Page, error) {
	v := r.site.Visit(c.In.Slug, c.Header, c.Now)
	if err := v.Leave(ctx, c.In.Draft, c.In.Once); err != nil {
		return v.ToBooking(c.In.Draft, err), nil
	}
	return v.To("", url.Values{"notice": {"left"}}), nil
}
