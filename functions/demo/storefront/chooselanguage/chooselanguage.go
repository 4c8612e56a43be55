// Package chooselanguage sets the language, the currency and the consents of a visit to the site of all hotels, or clears the visit.
package chooselanguage

import (
	"context"
	"net/url"
	"time"

	"melmastoon.ghasi.io/functions/demo/storefront/internal/marketplace"
	"melmastoon.ghasi.io/shared/locale"
	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/platform/fn"
)

// Function serves POST /hotels/preferences.
var Function = marketplace.HTTP(fn.Spec{
	Name:    "storefront-chooselanguage",
	Route:   "POST " + marketplace.Home + "/preferences",
	Answer:  fn.SeeOther,
	Timeout: 4 * time.Second,
}, choose)

// A Request is one of three forms: language and currency at the top of each page; and below the saved hotels, the consents, and the
// button that clears the visit.
type Request struct {
	Locale    locale.Tag `form:"locale,optional"`
	Currency  string     `form:"currency,optional"` // empty on a page that does not know it
	Consents  string     `form:"consents,optional"` // "on" if the form has the two consents
	Telemetry string     `form:"telemetry,optional"`
	Marketing string     `form:"marketing,optional"`
	Clear     string     `form:"clear,optional"` // "on" to clear the visit
	Back      string     `form:"back"`
	Once      string     `form:"once"`
	Response  string     `form:"response,optional"` // to a challenge
}

// fields returns the non-empty fields, so that the form of a challenge submits them again.
func (r Request) fields() url.Values {
	form := url.Values{"back": {r.Back}, "once": {r.Once}}
	for name, value := range map[string]string{"locale": string(r.Locale), "currency": r.Currency, "consents": r.Consents,
		"telemetry": r.Telemetry, "marketing": r.Marketing, "clear": r.Clear} {
		if value != "" {
			form.Set(name, value)
		}
	}
	return form
}

func choose(ctx context.Context, c marketplace.Call[Request]) (fn.Page, error) {
	c.Answer(c.In.Response)
	if c.In.Clear != "" {
		if err := c.Clear(ctx); err != nil {
			return c.Refused(err, c.In.Back, c.In.fields()), nil
		}
		return c.Forget(c.ToBack(marketplace.Home, "cleared")), nil
	}
	p, notice := marketplace.Preferences{Locale: c.In.Locale, Currency: money.Currency(c.In.Currency)}, ""
	if c.In.Consents != "" {
		notice = "consents"
		p.Consents = &marketplace.Consents{Telemetry: c.In.Telemetry != "", Marketing: c.In.Marketing != ""}
	}
	if err := c.SetPreferences(ctx, p, c.In.Once); err != nil {
		return c.Refused(err, c.In.Back, c.In.fields()), nil
	}
	return c.ToBack(c.In.Back, notice), nil
}
