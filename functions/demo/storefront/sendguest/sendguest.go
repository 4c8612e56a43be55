// Package sendguest sends a guest from the site of all hotels to a hotel's own site, with the guest's choice.
package sendguest

import (
	"context"
	"net/url"
	"time"

	"melmastoon.ghasi.io/functions/demo/storefront/internal/marketplace"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/fn"
)

// Function serves POST /hotels/{propertyId}/handoff.
var Function = marketplace.HTTP(fn.Spec{
	Name:    "storefront-sendguest",
	Route:   "POST " + marketplace.Home + "/{propertyId}/handoff",
	Answer:  fn.SeeOther,
	Timeout: 4 * time.Second,
}, send)

// A Request is the form of a hotel's page.
type Request struct {
	Property id.Property `path:"propertyId"`
	Tenant   id.Tenant   `form:"tenantId"`
	CheckIn  string      `form:"checkIn"`
	CheckOut string      `form:"checkOut"`
	Adults   string      `form:"adults"`
	Children string      `form:"children"`
	Rooms    string      `form:"rooms"`
	Once     string      `form:"once"`
	Response string      `form:"response,optional"` // to a challenge
}

func send(ctx context.Context, c marketplace.Call[Request]) (fn.Page, error) {
	trip := marketplace.Trip{CheckIn: c.In.CheckIn, CheckOut: c.In.CheckOut, Adults: c.In.Adults, Children: c.In.Children, Rooms: c.In.Rooms}
	c.Answer(c.In.Response)
	to, err := c.Handoff(ctx, c.In.Tenant, c.In.Property, trip, c.In.Once)
	if err != nil {
		form := url.Values{"tenantId": {c.In.Tenant.String()}, "checkIn": {c.In.CheckIn}, "checkOut": {c.In.CheckOut}, "adults": {c.In.Adults},
			"children": {c.In.Children}, "rooms": {c.In.Rooms}, "once": {c.In.Once}}
		return c.Refused(err, trip.HotelURL(c.In.Property, ""), form), nil
	}
	return c.ToHotelSite(to), nil
}
