// Package acceptreturn accepts the form with which some payment providers send the guest's browser back.
package acceptreturn

import (
	"context"
	"net/url"
	"time"

	"melmastoon.ghasi.io/functions/demo/storefront"
	"melmastoon.ghasi.io/shared/platform/fn"
)

// Function serves POST /site/{slug}/return/{draftId}. The browser sends no cookies with a form from another site
// (SameSite=Lax), so the function redirects the guest to the GET page. It does not read the form, because anyone can submit one.
var Function = storefront.HTTP(fn.Spec{
	Name:        "storefront-acceptreturn",
	Route:       "POST /site/{slug}/return/{draftId}",
	Uses:        fn.Uses{},
	CrossOrigin: true,
	IgnoresBody: true,
	Answer:      fn.SeeOther,
	Timeout:     time.Second,
}, accept)

// A Request names the draft, or in its place the confirmed booking, with the token of the return link.
type Request struct {
	Paid storefront.Paid `path:"draftId"`
	Link string          `query:"r,optional"`
}

func accept(_ context.Context, c storefront.Call[Request]) (fn.Page, error) {
	query := url.Values{}
	if c.In.Link != "" {
		query.Set("r", c.In.Link)
	}
	return c.To("/return/"+c.In.Paid.String(), query), nil
}
