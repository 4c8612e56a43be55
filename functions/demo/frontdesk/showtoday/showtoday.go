// Package showtoday serves the first page of the desk: the login, or with a session arrivals, guests in house, departures and concerns.
package showtoday

import (
	"context"
	"time"

	"melmastoon.ghasi.io/functions/demo/frontdesk"
	"melmastoon.ghasi.io/shared/platform/fn"
)

// Function serves GET /desk.
var Function = frontdesk.Open(fn.Spec{
	Name:    "frontdesk-showtoday",
	Route:   "GET " + frontdesk.Home,
	Uses:    fn.Uses{fn.Upstream("search"), fn.Upstream("property")},
	Timeout: 8 * time.Second,
}, show)

// A Request may search for a code, a name, a telephone number or a room.
type Request struct {
	Query   string `query:"q,optional"`
	Notice  string `query:"notice,optional"`
	Problem string `query:"problem,optional"`
}

func show(ctx context.Context, c frontdesk.Call[Request]) (fn.Page, error) {
	if !c.SignedIn() || c.In.Problem == frontdesk.SessionEnded {
		return c.LoginPage(ctx, c.In.Notice, c.In.Problem), nil
	}
	return c.TodayPage(ctx, c.In.Query, c.In.Notice, c.In.Problem), nil
}
