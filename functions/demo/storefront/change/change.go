// Package change changes a guest's booking.
package change

import (
	"context"
	"time"

	"melmastoon.ghasi.io/functions/demo/internal/page"
	"melmastoon.ghasi.io/functions/demo/storefront"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/locale"
	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/platform/fn"
)

// Function serves POST /site/{slug}/confirmations/{reservationId}/changes.
var Function = storefront.HTTP(fn.Spec{
	Name:    "storefront-change",
	Route:   "POST /site/{slug}/confirmations/{reservationId}/changes",
	Uses:    fn.Uses{fn.Upstream("tenantbooking")},
	Answer:  fn.SeeOther,
	Timeout: 8 * time.Second,
}, change)

// A Request is one of the forms of the page: dates with the price that the page shows, the guest's details, unvalidated, or a special
// request.
type Request struct {
	Reservation id.Reservation `path:"reservationId"`
	Token       string         `form:"t,optional"`
	Once        string         `form:"once"`
	CheckIn     string         `form:"checkIn,optional"`
	CheckOut    string         `form:"checkOut,optional"`
	Total       int64          `form:"total,optional"` // in minor units
	Currency    money.Currency `form:"currency,optional"`
	Text        string         `form:"request,optional"`
	Form        string         `form:"form,optional"` // "guest" for the guest's details
	Locale      locale.Tag     `form:"locale,optional"`
	FirstName   string         `form:"firstName,optional"`
	LastName    string         `form:"lastName,optional"`
	Email       string         `form:"email,optional"`
	Phone       string         `form:"phone,optional"`
	Country     string         `form:"country,optional"` // of the hotel, for a telephone number in national form
}

func (r Request) guest() storefront.Guest {
	return storefront.Guest{FirstName: r.FirstName, LastName: r.LastName, Email: r.Email, Phone: r.Phone, Locale: r.Locale}
}

// change makes the change and redirects to the confirmation. If the change is rejected, for example because the stay costs more than the
// page showed, change redirects to the page, which shows the reason and the new price.
func change(ctx context.Context, c storefront.Call[Request]) (fn.Page, error) {
	switch {
	case c.In.Form == "guest":
		return correct(ctx, c), nil
	case c.In.CheckIn == "":
		if err := c.AddRequest(ctx, c.In.Reservation, c.In.Token, c.In.Text, c.In.Once); err != nil {
			return c.ToRejected(c.In.Reservation, c.In.Token, storefront.Guest{Requests: c.In.Text}, err), nil
		}
		return c.ToAccepted(c.In.Reservation, c.In.Token, "asked"), nil
	}
	to := storefront.NewDates{CheckIn: c.In.CheckIn, CheckOut: c.In.CheckOut,
		Total: money.Minor{Amount: c.In.Total, Currency: c.In.Currency, Exponent: c.In.Currency.Exponent()}}
	if err := c.ChangeDates(ctx, c.In.Reservation, c.In.Token, to, c.In.Once); err != nil {
		return c.ToChanges(c.In.Reservation, c.In.Token, to, err), nil
	}
	return c.ToBookedStay(c.In.Reservation, c.In.Token, "changed", nil), nil
}

// correct redirects to the confirmation, or back to the form with its input and errors.
func correct(ctx context.Context, c storefront.Call[Request]) fn.Page {
	guest := c.In.guest()
	guest.Phone = page.International(guest.Phone, c.In.Country)
	if err := c.Correct(ctx, c.In.Reservation, c.In.Token, guest, c.In.Once); err != nil {
		return c.ToRejected(c.In.Reservation, c.In.Token, c.In.guest(), err)
	}
	return c.ToAccepted(c.In.Reservation, c.In.Token, "corrected")
}
