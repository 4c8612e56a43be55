// Package nameguest notes who comes.
package nameguest

import (
	"context"
	"time"

	"melmastoon.ghasi.io/functions/storefront"
	"melmastoon.ghasi.io/shared/env"
	"melmastoon.ghasi.io/shared/fn"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/locale"
)

// Function answers POST /site/{slug}/bookings/{draftId}/guest.
var Function = storefront.HTTP(fn.Spec{
	Name:    "storefront-nameguest",
	Route:   "POST /site/{slug}/bookings/{draftId}/guest",
	Access:  fn.Public,
	Uses:    fn.Uses{fn.Upstream("tenantbooking"), fn.Upstream("property")},
	Timeout: 5 * time.Second,
}, New)

// A Request is the form, whatever was written into it.
type Request struct {
	Slug      string     `path:"slug"`
	Draft     id.Draft   `path:"draftId"`
	Version   int        `form:"version"`
	Locale    locale.Tag `form:"locale"`
	Once      string     `form:"once"`
	Seen      string     `form:"seen,optional"`
	FirstName string     `form:"firstName,optional"`
	LastName  string     `form:"lastName,optional"`
	Email     string     `form:"email,optional"`
	Phone     string     `form:"phone,optional"`
	Requests  string     `form:"specialRequests,optional"`
}

func (r Request) guest() storefront.Guest {
	return storefront.Guest{FirstName: r.FirstName, LastName: r.LastName, Email: r.Email, Phone: r.Phone,
		Locale: r.Locale, Requests: r.Requests}
}

type receptionist struct {
	site *storefront.Site
}

// New builds the function from what its Spec says it uses.
func New(e env.Env) (fn.Serve[Request, fn.Page], error) {
	site, err := storefront.OpenSite(e)
	return (&receptionist{site}).note, err
}

// note goes on to the payment, or shows the form again with what is wrong in it and nothing of it lost.
func (r *receptionist) note(ctx context.Context, c fn.Call[Request]) (fn.Page, error) {
	v := r.site.Visit(c.In.Slug, c.Header, c.Now)
	v.Seen = c.In.Seen
	err := v.Name(ctx, c.In.Draft, c.In.Version, c.In.guest(), c.In.Once)
	wrong := storefront.RefusalOf(err).Fields()
	if err == nil || len(wrong) == 0 {
		return v.ToBooking(c.In.Draft, err), nil
	}
	v, err = r.site.Enter(ctx, c.In.Slug, c.Header, c.Now)
	if err != nil {
		return v.Lost(err)
	}
	draft, err := v.Draft(ctx, c.In.Draft)
	if err != nil {
		return v.ToStart(storefront.Search{}, err), nil
	}
	return v.Details(draft, c.In.guest(), wrong, ""), nil
}
