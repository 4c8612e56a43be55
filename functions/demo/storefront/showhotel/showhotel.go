// Package showhotel serves the page of a hotel on the site of all hotels.
package showhotel

import (
	"context"
	"time"

	"melmastoon.ghasi.io/functions/demo/storefront/internal/marketplace"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/fn"
)

// Function serves GET /hotels/{propertyId}.
var Function = marketplace.HTTP(fn.Spec{
	Name:    "storefront-showhotel",
	Route:   "GET " + marketplace.Home + "/{propertyId}",
	Timeout: 6 * time.Second,
}, show)

// A Request names the hotel and the guest's trip.
type Request struct {
	Property id.Property `path:"propertyId"`
	CheckIn  string      `query:"checkIn,optional"`
	CheckOut string      `query:"checkOut,optional"`

	// The dates in the solar calendar, in its languages.
	CheckInDay    string `query:"checkInDay,optional"`
	CheckInMonth  string `query:"checkInMonth,optional"`
	CheckInYear   string `query:"checkInYear,optional"`
	CheckOutDay   string `query:"checkOutDay,optional"`
	CheckOutMonth string `query:"checkOutMonth,optional"`
	CheckOutYear  string `query:"checkOutYear,optional"`

	Adults   string `query:"adults,optional"`
	Children string `query:"children,optional"`
	Rooms    string `query:"rooms,optional"`
	From     string `query:"from,optional"` // where the guest has found it
	Problem  string `query:"problem,optional"`
	Notice   string `query:"notice,optional"`
	Response string `query:"response,optional"` // to a challenge
}

func show(ctx context.Context, c marketplace.Call[Request]) (fn.Page, error) {
	if c.In.Response != "" {
		return c.Solve(ctx, c.In.Response), nil
	}
	checkIn := marketplace.ChosenDate{Value: c.In.CheckIn, Day: c.In.CheckInDay, Month: c.In.CheckInMonth, Year: c.In.CheckInYear}
	checkOut := marketplace.ChosenDate{Value: c.In.CheckOut, Day: c.In.CheckOutDay, Month: c.In.CheckOutMonth, Year: c.In.CheckOutYear}
	trip := c.WithDefaults(marketplace.Trip{CheckIn: checkIn.String(), CheckOut: checkOut.String(), Adults: c.In.Adults, Children: c.In.Children, Rooms: c.In.Rooms})
	return c.HotelPage(ctx, marketplace.Visit{Property: c.In.Property, Trip: trip, From: c.In.From, Problem: c.In.Problem, Notice: c.In.Notice}), nil
}
