// Package showconfirmation shows a guest what they have booked.
package showconfirmation

import (
	"context"
	"time"

	"melmastoon.ghasi.io/functions/storefront"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/fn"
)

// Function answers GET /site/{slug}/confirmations/{reservationId}.
var Function = storefront.HTTP(fn.Spec{
	Name:    "storefront-showconfirmation",
	Route:   "GET /site/{slug}/confirmations/{reservationId}",
	Uses:    fn.Uses{fn.Upstream("tenantbooking"), fn.Upstream("property")},
	Timeout: 5 * time.Second,
}, show)

// A Request names the reservation. Whoever did not book it brings the token.
type Request struct {
	Reservation id.Reservation `path:"reservationId"`
	Token       string         `query:"t,optional"`
}

func show(ctx context.Context, c storefront.Call[Request]) (fn.Page, error) {
	entered := c.Enter(ctx) // what was booked is shown also where the hotel sells nothing, or where nobody knows how its site looks
	booked, err := c.Confirmation(ctx, c.In.Reservation, c.In.Token)
	switch {
	case err == nil:
		return c.Booked(booked), nil
	case entered != nil:
		return c.Lost(entered), nil
	}
	return c.ToStart(storefront.Search{}, err), nil
}
