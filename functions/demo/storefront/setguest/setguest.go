// Package setguest sets the guest's details of a booking.
package setguest

import (
	"context"
	"time"

	"melmastoon.ghasi.io/functions/demo/internal/page"
	"melmastoon.ghasi.io/functions/demo/storefront"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/locale"
	"melmastoon.ghasi.io/shared/platform/fn"
)

// Function serves POST /site/{slug}/bookings/{draftId}/guest.
var Function = storefront.HTTP(fn.Spec{
	Name:    "storefront-setguest",
	Route:   "POST /site/{slug}/bookings/{draftId}/guest",
	Uses:    fn.Uses{fn.Upstream("tenantbooking")},
	Answer:  fn.SeeOther,
	Timeout: 5 * time.Second,
}, set)

// A Request is the form, unvalidated.
type Request struct {
	Draft     id.Draft   `path:"draftId"`
	Version   int        `form:"version"`
	Locale    locale.Tag `form:"locale"`
	Once      string     `form:"once"`
	Seen      string     `form:"seen,optional"`
	FirstName string     `form:"firstName,optional"`
	LastName  string     `form:"lastName,optional"`
	Email     string     `form:"email,optional"`
	Phone     string     `form:"phone,optional"`
	Country   string     `form:"country,optional"` // of the hotel, for a telephone number in national form
	Requests  string     `form:"specialRequests,optional"`
}

func (r Request) guest() storefront.Guest {
	return storefront.Guest{FirstName: r.FirstName, LastName: r.LastName, Email: r.Email, Phone: r.Phone,
		Locale: r.Locale, Requests: r.Requests}
}

// set redirects to the payment, or back to the form with its input and errors.
func set(ctx context.Context, c storefront.Call[Request]) (fn.Page, error) {
	c.BootstrapVersion = c.In.Seen
	guest := c.In.guest()
	guest.Phone = page.International(guest.Phone, c.In.Country)
	if err := c.SetGuest(ctx, c.In.Draft, c.In.Version, guest, c.In.Once); err != nil {
		return c.ToDetails(c.In.Draft, c.In.guest(), err), nil
	}
	return c.ToNext(c.In.Draft), nil
}
