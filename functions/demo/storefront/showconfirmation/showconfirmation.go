// Package showconfirmation serves the page of a confirmed booking.
package showconfirmation

import (
	"context"
	"time"

	"melmastoon.ghasi.io/functions/demo/storefront"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/fn"
)

// Function serves GET /site/{slug}/confirmations/{reservationId}.
var Function = storefront.HTTP(fn.Spec{
	Name:    "storefront-showconfirmation",
	Route:   "GET /site/{slug}/confirmations/{reservationId}",
	Uses:    fn.Uses{fn.Upstream("tenantbooking"), fn.Upstream("property")},
	Timeout: 5 * time.Second,
}, show)

// A Request names the reservation. Without the session that made the booking, the token is required.
type Request struct {
	Reservation id.Reservation `path:"reservationId"`
	Token       string         `query:"t,optional"`
	Notice      string         `query:"notice,optional"`
	Problem     string         `query:"problem,optional"`
}

func show(ctx context.Context, c storefront.Call[Request]) (fn.Page, error) {
	entered := c.Enter(ctx) // a confirmation is shown even if the hotel is suspended or its bootstrap is unavailable
	booked, err := c.Confirmation(ctx, c.In.Reservation, c.In.Token)
	switch {
	case err == nil:
		return c.ConfirmationPage(booked, c.In.Notice, c.In.Problem), nil
	case entered != nil:
		return c.UnavailablePage(entered), nil
	}
	return c.ToStart(storefront.Search{}, err), nil
}
