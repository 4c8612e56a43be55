// Package showrack serves the rooms of the hotel over the next fourteen nights.
package showrack

import (
	"context"
	"time"

	"melmastoon.ghasi.io/functions/demo/frontdesk"
	"melmastoon.ghasi.io/shared/platform/fn"
)

// Function serves GET /desk/rooms.
var Function = frontdesk.HTTP(fn.Spec{
	Name:    "frontdesk-showrack",
	Route:   "GET " + frontdesk.Home + "/rooms",
	Uses:    fn.Uses{fn.Upstream("property"), fn.Upstream("inventory")},
	Timeout: 10 * time.Second,
}, show)

func show(ctx context.Context, c frontdesk.Call[fn.Nothing]) (fn.Page, error) {
	return c.RackPage(ctx), nil
}
