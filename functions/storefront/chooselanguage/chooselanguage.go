// Package chooselanguage sets the language, the currency and the consents of a visit to the site of all hotels.
package chooselanguage

import (
	"context"
	"net/url"
	"time"

	"melmastoon.ghasi.io/functions/storefront/internal/marketplace"
	"melmastoon.ghasi.io/shared/locale"
	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/platform/fn"
)

// Function answers POST /hotels/preferences.
var Function = marketplace.HTTP(fn.Spec{
	Name:    "storefront-chooselanguage",
	Route:   "POST " + marketplace.Home + "/preferences",
	Answer:  fn.SeeOther,
	Timeout: 4 * time.Second,
}, choose)

// A Request is the form at the top of each page.
type Request struct {
	Locale   locale.Tag `form:"locale"`
	Currency string     `form:"currency,optional"` // empty on a page that does not know it
	Back     string     `form:"back"`
	Once     string     `form:"once"`
	Response string     `form:"response,optional"` // to a challenge
}

func choose(ctx context.Context, c marketplace.Call[Request]) (fn.Page, error) {
	c.Answer(c.In.Response)
	err := c.SetPreferences(ctx, marketplace.Preferences{Locale: c.In.Locale, Currency: money.Currency(c.In.Currency)}, c.In.Once)
	if err != nil {
		form := url.Values{"locale": {string(c.In.Locale)}, "currency": {c.In.Currency}, "back": {c.In.Back}, "once": {c.In.Once}}
		return c.Refused(err, c.In.Back, form), nil
	}
	return c.ToBack(c.In.Back, ""), nil
}
