// Package login begins and ends a session at the desk, and sets the language of the pages.
package login

import (
	"context"
	"time"

	"melmastoon.ghasi.io/functions/demo/frontdesk"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/locale"
	"melmastoon.ghasi.io/shared/platform/fn"
)

// Function serves POST /desk/session.
var Function = frontdesk.Open(fn.Spec{
	Name:    "frontdesk-login",
	Route:   "POST " + frontdesk.Home + "/session",
	Uses:    fn.Uses{fn.Upstream("property"), fn.Upstream("iam")},
	Answer:  fn.SeeOther,
	Timeout: 5 * time.Second,
}, login)

// A Request is one of three forms: the login; the button that ends the session; and the language at the top of each page.
type Request struct {
	Hotel  fn.Maybe[id.Property] `form:"hotel"`
	Role   string                `form:"role,optional"`
	Leave  string                `form:"leave,optional"` // "on" to end the session
	Locale locale.Tag            `form:"locale,optional"`
	Back   string                `form:"back,optional"` // the page of the language form
}

func login(ctx context.Context, c frontdesk.Call[Request]) (fn.Page, error) {
	hotel, given := c.In.Hotel.Get()
	switch {
	case c.In.Leave != "":
		return c.LogOut(), nil
	case given:
		return c.LogIn(ctx, hotel, c.In.Role), nil
	}
	return c.Choose(c.In.Locale, c.In.Back), nil
}
