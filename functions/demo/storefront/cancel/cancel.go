// Package cancel cancels a guest's booking.
package cancel

import (
	"context"
	"time"

	"melmastoon.ghasi.io/functions/demo/storefront"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/platform/fn"
)

// Function serves POST /site/{slug}/confirmations/{reservationId}/cancellation.
var Function = storefront.HTTP(fn.Spec{
	Name:    "storefront-cancel",
	Route:   "POST /site/{slug}/confirmations/{reservationId}/cancellation",
	Uses:    fn.Uses{fn.Upstream("tenantbooking")},
	Answer:  fn.SeeOther,
	Timeout: 8 * time.Second,
}, cancel)

// A Request is the form of the page, with the penalty that the page shows.
type Request struct {
	Reservation id.Reservation `path:"reservationId"`
	Token       string         `form:"t,optional"`
	Penalty     int64          `form:"penalty"` // in minor units
	Currency    money.Currency `form:"currency"`
	Once        string         `form:"once"`
}

// cancel cancels the booking and redirects to the confirmation. If the penalty is higher than the page showed, nothing is cancelled,
// and cancel redirects to the page of the cancellation, which shows the new penalty.
func cancel(ctx context.Context, c storefront.Call[Request]) (fn.Page, error) {
	shown := money.Minor{Amount: c.In.Penalty, Currency: c.In.Currency, Exponent: c.In.Currency.Exponent()}
	err := c.Cancel(ctx, c.In.Reservation, c.In.Token, shown, c.In.Once)
	switch {
	case storefront.ServiceErrorOf(err).IsPenaltyChange():
		return c.ToCancellation(c.In.Reservation, c.In.Token, err), nil
	case err != nil:
		return c.ToBookedStay(c.In.Reservation, c.In.Token, "", err), nil
	}
	return c.ToBookedStay(c.In.Reservation, c.In.Token, "cancelled", nil), nil
}
