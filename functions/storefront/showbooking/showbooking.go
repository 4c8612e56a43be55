// Package showbooking shows a guest the next step of their booking.
package showbooking

import (
	"context"
	"time"

	"melmastoon.ghasi.io/functions/storefront"
	"melmastoon.ghasi.io/shared/env"
	"melmastoon.ghasi.io/shared/fn"
	"melmastoon.ghasi.io/shared/id"
)

// Function answers GET /site/{slug}/bookings/{draftId}.
var Function = storefront.HTTP(fn.Spec{
	Name:    "storefront-showbooking",
	Route:   "GET /site/{slug}/bookings/{draftId}",
	Access:  fn.Public,
	Uses:    fn.Uses{fn.Upstream("tenantbooking"), fn.Upstream("property")},
	Timeout: 5 * time.Second,
}, New)

// A Request names the booking. A guest may go back to their details as long as they have not begun to pay.
type Request struct {
	Slug    string   `path:"slug"`
	Draft   id.Draft `path:"draftId"`
	Step    string   `query:"step,optional"`
	Problem string   `query:"problem,optional"`
}

type receptionist struct {
	site *storefront.Site
}

// New builds the function from what its Spec says it uses.
func New(e env.Env) (fn.Serve[Request, fn.Page], error) {
	site, err := storefront.OpenSite(e)
	return (&receptionist{site}).show, err
}

func (r *receptionist) show(ctx context.Context, c fn.Call[Request]) (fn.Page, error) {
	v, err := r.site.Enter(ctx, c.In.Slug, c.Header, c.Now)
	if err != nil {
		return v.Lost(err)
	}
	draft, err := v.Draft(ctx, c.In.Draft)
	if err != nil {
		return v.ToStart(storefront.Search{}, err), nil
	}
	return v.Next(draft, c.In.Step, c.In.Problem), nil
}
