// Package showcancellation serves the page that asks a guest to confirm the cancellation of a booking.
package showcancellation

import (
	"context"
	"time"

	"melmastoon.ghasi.io/functions/demo/storefront"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/fn"
)

// Function serves GET /site/{slug}/confirmations/{reservationId}/cancellation.
var Function = storefront.HTTP(fn.Spec{
	Name:     "storefront-showcancellation",
	Route:    "GET /site/{slug}/confirmations/{reservationId}/cancellation",
	Siblings: []string{"POST"},
	Uses:     fn.Uses{fn.Upstream("tenantbooking"), fn.Upstream("property")},
	Timeout:  8 * time.Second,
}, show)

// A Request names the reservation. Without the session that made the booking, the token is required.
type Request struct {
	Reservation id.Reservation `path:"reservationId"`
	Token       string         `query:"t,optional"`
	Problem     string         `query:"problem,optional"`
}

// show returns the page with the penalty that applies now. For a booking that cannot be cancelled it redirects to the confirmation.
func show(ctx context.Context, c storefront.Call[Request]) (fn.Page, error) {
	entered := c.Enter(ctx) // a booking can be cancelled even if the hotel is suspended or its bootstrap is unavailable
	booked, err := c.Confirmation(ctx, c.In.Reservation, c.In.Token)
	switch {
	case err != nil && entered != nil:
		return c.UnavailablePage(entered), nil
	case err != nil:
		return c.ToStart(storefront.Search{}, err), nil
	case booked.Ended():
		return c.ToBookedStay(c.In.Reservation, c.In.Token, "", nil), nil
	}
	terms, err := c.CancellationTerms(ctx, c.In.Reservation, c.In.Token)
	if err != nil {
		return c.ToBookedStay(c.In.Reservation, c.In.Token, "", err), nil
	}
	return c.CancellationPage(booked, terms, c.In.Problem), nil
}
