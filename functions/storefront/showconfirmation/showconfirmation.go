// Package showconfirmation shows a guest what they have booked.
package showconfirmation

import (
	"context"
	"time"

	"melmastoon.ghasi.io/functions/storefront"
	"melmastoon.ghasi.io/shared/env"
	"melmastoon.ghasi.io/shared/fn"
	"melmastoon.ghasi.io/shared/id"
)

// Function answers GET /site/{slug}/confirmations/{reservationId}.
var Function = storefront.HTTP(fn.Spec{
	Name:    "storefront-showconfirmation",
	Route:   "GET /site/{slug}/confirmations/{reservationId}",
	Access:  fn.Public,
	Uses:    fn.Uses{fn.Upstream("tenantbooking"), fn.Upstream("property")},
	Timeout: 5 * time.Second,
}, New)

// A Request names the reservation. Whoever did not book it brings the token.
type Request struct {
	Slug        string         `path:"slug"`
	Reservation id.Reservation `path:"reservationId"`
	Token       string         `query:"t,optional"`
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
	v, err := r.site.Look(ctx, c.In.Slug, c.Header, c.Now)
	if err != nil {
		return v.Lost(err)
	}
	booked, err := v.Confirmation(ctx, c.In.Reservation, c.In.Token)
	if err != nil {
		return v.ToStart(storefront.Search{}, err), nil
	}
	return v.Booked(booked), nil
}
