// Package paybalance begins a payment of what is due for a confirmed booking.
package paybalance

import (
	"context"
	"time"

	"melmastoon.ghasi.io/functions/demo/storefront"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/platform/fn"
)

// Function serves POST /site/{slug}/confirmations/{reservationId}/payment.
var Function = storefront.HTTP(fn.Spec{
	Name:    "storefront-paybalance",
	Route:   "POST /site/{slug}/confirmations/{reservationId}/payment",
	Uses:    fn.Uses{fn.Upstream("tenantbooking")},
	Answer:  fn.SeeOther,
	Timeout: 8 * time.Second,
}, pay)

// A Request is the form of the page, with the amount that the page shows.
type Request struct {
	Reservation id.Reservation    `path:"reservationId"`
	Token       string            `form:"t,optional"`
	Method      storefront.Method `form:"method"`
	Due         int64             `form:"due"` // in minor units
	Currency    money.Currency    `form:"currency"`
	Once        string            `form:"once"`
}

// pay redirects to the payment page. Without one, it redirects to the page that waits for the guest's approval, or to the confirmation if
// the booking is paid already.
func pay(ctx context.Context, c storefront.Call[Request]) (fn.Page, error) {
	shown := money.Minor{Amount: c.In.Due, Currency: c.In.Currency, Exponent: c.In.Currency.Exponent()}
	balance, err := c.PayBalance(ctx, c.In.Reservation, c.In.Token, c.In.Method, shown, c.In.Once)
	switch {
	case err != nil:
		return c.ToBookedStay(c.In.Reservation, c.In.Token, "", err), nil
	case balance.Intent == nil:
		return c.ToBookedStay(c.In.Reservation, c.In.Token, "paid", nil), nil
	case balance.Intent.RedirectURL != "":
		return c.ToExternal(balance.Intent.RedirectURL), nil
	}
	return c.ToBalance(c.In.Reservation, balance.ViewToken), nil
}
