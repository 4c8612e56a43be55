// Package change changes a guest's booking.
package change

import (
	"context"
	"time"

	"melmastoon.ghasi.io/functions/storefront"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/platform/fn"
)

// Function answers POST /site/{slug}/confirmations/{reservationId}/changes.
var Function = storefront.HTTP(fn.Spec{
	Name:    "storefront-change",
	Route:   "POST /site/{slug}/confirmations/{reservationId}/changes",
	Uses:    fn.Uses{fn.Upstream("tenantbooking")},
	Answer:  fn.SeeOther,
	Timeout: 8 * time.Second,
}, change)

// A Request is one of the forms of the page: dates with the price that the page shows, or a special request.
type Request struct {
	Reservation id.Reservation `path:"reservationId"`
	Token       string         `form:"t,optional"`
	Once        string         `form:"once"`
	CheckIn     string         `form:"checkIn,optional"`
	CheckOut    string         `form:"checkOut,optional"`
	Total       int64          `form:"total,optional"` // in minor units
	Currency    money.Currency `form:"currency,optional"`
	Text        string         `form:"request,optional"`
}

// change makes the change and redirects to the confirmation. If the change is rejected, for example because the stay costs more than the
// page showed, change redirects to the page, which shows the reason and the new price.
func change(ctx context.Context, c storefront.Call[Request]) (fn.Page, error) {
	if c.In.CheckIn == "" {
		if err := c.AddRequest(ctx, c.In.Reservation, c.In.Token, c.In.Text, c.In.Once); err != nil {
			return c.ToChanges(c.In.Reservation, c.In.Token, storefront.NewDates{}, err), nil
		}
		return c.ToBookedStay(c.In.Reservation, c.In.Token, "asked", nil), nil
	}
	to := storefront.NewDates{CheckIn: c.In.CheckIn, CheckOut: c.In.CheckOut,
		Total: money.Minor{Amount: c.In.Total, Currency: c.In.Currency, Exponent: c.In.Currency.Exponent()}}
	if err := c.ChangeDates(ctx, c.In.Reservation, c.In.Token, to, c.In.Once); err != nil {
		return c.ToChanges(c.In.Reservation, c.In.Token, to, err), nil
	}
	return c.ToBookedStay(c.In.Reservation, c.In.Token, "changed", nil), nil
}
