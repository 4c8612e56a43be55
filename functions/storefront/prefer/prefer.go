// Package prefer chooses a language and a currency for the rest of a visit.
package prefer

import (
	"context"
	"time"

	"melmastoon.ghasi.io/functions/storefront"
	"melmastoon.ghasi.io/shared/env"
	"melmastoon.ghasi.io/shared/fn"
	"melmastoon.ghasi.io/shared/locale"
	"melmastoon.ghasi.io/shared/money"
)

// Function answers POST /site/{slug}/preferences.
var Function = storefront.HTTP(fn.Spec{
	Name:    "storefront-prefer",
	Route:   "POST /site/{slug}/preferences",
	Access:  fn.Public,
	Uses:    fn.Uses{fn.Upstream("tenantbooking")},
	Answer:  fn.SeeOther,
	Timeout: 5 * time.Second,
}, New)

// A Request is the form at the top of each page.
type Request struct {
	Slug     string         `path:"slug"`
	Locale   locale.Tag     `form:"locale"`
	Currency money.Currency `form:"currency"`
	Back     string         `form:"back"`
	Once     string         `form:"once"`
}

type receptionist struct {
	site *storefront.Site
}

// New builds the function from what its Spec says it uses.
func New(e env.Env) (fn.Serve[Request, fn.Page], error) {
	site, err := storefront.OpenSite(e)
	return (&receptionist{site}).prefer, err
}

// prefer goes back to the page that the guest was on. A choice that could not be kept shows there by itself.
func (r *receptionist) prefer(ctx context.Context, c fn.Call[Request]) (fn.Page, error) {
	v := r.site.Visit(c.In.Slug, c.Header, c.Now)
	if err := v.Prefer(ctx, c.In.Locale, c.In.Currency, c.In.Once); err != nil {
		return v.ToStart(storefront.Search{}, err), nil
	}
	return v.ToBack(c.In.Back), nil
}
