// Package prefer sets the language and the currency of the session.
package prefer

import (
	"cmp"
	"context"
	"time"

	"melmastoon.ghasi.io/functions/demo/storefront"
	"melmastoon.ghasi.io/shared/id"
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

// A Request is the form at the top of each page. On the page of the guest's details it has what the guest has typed there, unvalidated.
// The page of a booking has no choice of a currency.
type Request struct {
	Locale   locale.Tag     `form:"locale"`
	Currency money.Currency `form:"currency,optional"`
	Back     string         `form:"back"`
	Once     string         `form:"once"`

	Language  locale.Tag `form:"language,optional"` // in place of Locale, which is the language of the guest's details there
	Draft     id.Draft   `form:"draftId,optional"`
	FirstName string     `form:"firstName,optional"`
	LastName  string     `form:"lastName,optional"`
	Email     string     `form:"email,optional"`
	Phone     string     `form:"phone,optional"`
	Requests  string     `form:"specialRequests,optional"`
}

func (r Request) guest() storefront.Guest {
	return storefront.Guest{FirstName: r.FirstName, LastName: r.LastName, Email: r.Email, Phone: r.Phone, Requests: r.Requests}
}

// prefer redirects to the page of the form, which keeps what the guest has typed. A failure is shown on the first page, and
// what was typed is kept too.
func prefer(ctx context.Context, c storefront.Call[Request]) (fn.Page, error) {
	err := c.SetPreferences(ctx, cmp.Or(c.In.Language, c.In.Locale), c.In.Currency, c.In.Once+"-preferences")
	next := c.ToBack(c.In.Back)
	if err != nil {
		next = c.ToStart(storefront.Search{}, err)
	}
	return c.KeepGuest(next, c.In.Draft, c.In.guest()), nil
}
