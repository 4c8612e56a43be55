// Package choose quotes and holds the room and rate that the guest has chosen.
package choose

import (
	"context"
	"time"

	"melmastoon.ghasi.io/functions/demo/storefront"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/platform/fn"
	"melmastoon.ghasi.io/shared/stay"
)

// Function serves POST /site/{slug}/choices.
var Function = storefront.HTTP(fn.Spec{
	Name:    "storefront-choose",
	Route:   "POST /site/{slug}/choices",
	Uses:    fn.Uses{fn.Upstream("tenantbooking")},
	Answer:  fn.SeeOther,
	Timeout: 8 * time.Second,
}, choose)

// A Request is the form beside a rate.
type Request struct {
	Property id.Property `form:"propertyId"`
	RoomType id.RoomType `form:"roomTypeId"`
	RatePlan id.RatePlan `form:"ratePlanId"`
	CheckIn  stay.Date   `form:"checkIn"`
	CheckOut stay.Date   `form:"checkOut"`
	Adults   int         `form:"adults"`
	Children int         `form:"children"`
	Rooms    int         `form:"rooms"`

	Draft    id.Draft       `form:"draftId,optional"`  // the booking whose price has changed
	Total    int64          `form:"total,optional"`    // the price on the page, in minor units
	Currency money.Currency `form:"currency,optional"` // of Total

	// The guest's details from a booking that has ended, unvalidated.
	FirstName string `form:"firstName,optional"`
	LastName  string `form:"lastName,optional"`
	Email     string `form:"email,optional"`
	Phone     string `form:"phone,optional"`
	Requests  string `form:"specialRequests,optional"`

	Once string `form:"once"`
	Seen string `form:"seen,optional"`
}

func (r Request) guest() storefront.Guest {
	return storefront.Guest{FirstName: r.FirstName, LastName: r.LastName, Email: r.Email, Phone: r.Phone, Requests: r.Requests}
}

func (r Request) selection() storefront.Selection {
	return storefront.Selection{Property: r.Property, RoomType: r.RoomType, RatePlan: r.RatePlan, CheckIn: r.CheckIn, CheckOut: r.CheckOut,
		Occupancy: storefront.Occupancy{Adults: r.Adults, Children: r.Children, Rooms: r.Rooms}, Draft: r.Draft,
		Shown: money.Minor{Amount: r.Total, Currency: r.Currency, Exponent: r.Currency.Exponent()}}
}

// choose redirects to the booking, to the question about a changed price, or back to the rooms if these are no longer
// available.
func choose(ctx context.Context, c storefront.Call[Request]) (fn.Page, error) {
	c.BootstrapVersion = c.In.Seen
	selection := c.In.selection()
	draft, err := c.Hold(ctx, selection, c.In.Once)
	if c.In.Total > 0 && storefront.ServiceErrorOf(err).IsPriceChange() {
		return c.ToPrice(draft, selection.Shown, c.In.guest()), nil
	}
	if err != nil {
		return c.ToStart(selection.Search(), err), nil
	}
	return c.ToNewBooking(draft, c.In.guest()), nil
}
