// Package prefer sets the language and the currency of the session.
package prefer

import (
	"context"
	"time"

	"melmastoon.ghasi.io/functions/demo/storefront"
	"melmastoon.ghasi.io/shared/locale"
	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/platform/fn"
)

// Function serves POST /site/{slug}/preferences.
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

// prefer redirects to the page of the form. A failure is visible there, because the old choice is still selected.
func prefer(ctx context.Context, c storefront.Call[Request]) (fn.Page, error) {
	if err := c.SetPreferences(ctx, c.In.Locale, c.In.Currency, c.In.Once); err != nil {
		return c.ToStart(storefront.Search{}, err), nil
	}
	return c.ToBack(c.In.Back), nil
}
