// Package showreceipt serves the receipt of a reservation, to print.
package showreceipt

import (
	"context"
	"time"

	"melmastoon.ghasi.io/functions/demo/frontdesk"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/fn"
)

// Function serves GET /desk/reservations/{reservationId}/receipt.
var Function = frontdesk.HTTP(fn.Spec{
	Name:    "frontdesk-showreceipt",
	Route:   "GET " + frontdesk.Home + "/reservations/{reservationId}/receipt",
	Uses:    fn.Uses{fn.Upstream("property")},
	Timeout: 8 * time.Second,
}, show)

// A Request names the reservation.
type Request struct {
	Reservation id.Reservation `path:"reservationId"`
}

func show(ctx context.Context, c frontdesk.Call[Request]) (fn.Page, error) {
	return c.ReceiptPage(ctx, c.In.Reservation), nil
}
