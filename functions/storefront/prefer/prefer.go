// Package prefer chooses a language and a currency for the rest of a visit.
package prefer

import (
	"context"
	"time"

	"melmastoon.ghasi.io/functions/storefront"
	"melmastoon.ghasi.io/shared/locale"
	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/platform/fn"
)

// Function answers POST /site/{slug}/preferences.
var Function = storefront.HTTP(fn.Spec{
	Name:    "storefront-prefer",
	Route:   "POST /site/{slug}/preferences",
	Uses:    fn.Uses{fn.Upstream("tenantbooking")},
	Answer:  fn.SeeOther,
	Timeout: 5 * time.Second,
}, prefer)

// A Request is the form at the top of each page.
type Request struct {
	Locale   locale.Tag     `form:"locale"`
	Currency money.Currency `form:"currency"`
	Back     string         `form:"back"`
	Once     string         `form:"once"`
}

// prefer goes back to the page that the guest was on. A choice that could not be kept shows there by itself.
func prefer(ctx context.Context, c storefront.Call[Request]) (fn.Page, error) {
	if err := c.Prefer(ctx, c.In.Locale, c.In.Currency, c.In.Once); err != nil {
		return c.ToStart(storefront.Search{}, err), nil
	}
	return c.ToBack(c.In.Back), nil
}
