// Package showwalkin serves the form for a guest who stands at the desk without a booking.
package showwalkin

import (
	"context"
	"time"

	"melmastoon.ghasi.io/functions/demo/frontdesk"
	"melmastoon.ghasi.io/shared/platform/fn"
)

// Function serves GET /desk/walk-in.
var Function = frontdesk.HTTP(fn.Spec{
	Name:     "frontdesk-showwalkin",
	Route:    "GET " + frontdesk.Home + "/walk-in",
	Siblings: []string{"POST"},
	Uses:     fn.Uses{fn.Upstream("property")},
	Timeout:  8 * time.Second,
}, show)

func show(ctx context.Context, c frontdesk.Call[fn.Nothing]) (fn.Page, error) {
	return c.WalkInPage(ctx, frontdesk.WalkIn{}, nil), nil
}
