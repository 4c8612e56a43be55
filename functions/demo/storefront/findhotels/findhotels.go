// Package findhotels serves the first page of the site of all hotels, the hotels of a city for the guest's dates, and the hotels that
// the guest has saved.
package findhotels

import (
	"context"
	"strings"
	"time"

	"melmastoon.ghasi.io/functions/demo/storefront/internal/marketplace"
	"melmastoon.ghasi.io/shared/platform/fn"
)

// Function serves GET /hotels.
var Function = marketplace.HTTP(fn.Spec{
	Name:    "storefront-findhotels",
	Route:   "GET " + marketplace.Home,
	Timeout: 6 * time.Second,
}, find)

// A Request holds the guest's search.
type Request struct {
	Place    string `query:"place,optional"`
	City     string `query:"city,optional"`
	CheckIn  string `query:"checkIn,optional"`
	CheckOut string `query:"checkOut,optional"`

	// The dates in the solar calendar, in its languages.
	CheckInDay    string `query:"checkInDay,optional"`
	CheckInMonth  string `query:"checkInMonth,optional"`
	CheckInYear   string `query:"checkInYear,optional"`
	CheckOutDay   string `query:"checkOutDay,optional"`
	CheckOutMonth string `query:"checkOutMonth,optional"`
	CheckOutYear  string `query:"checkOutYear,optional"`

	Adults    string `query:"adults,optional"`
	Children  string `query:"children,optional"`
	Rooms     string `query:"rooms,optional"`
	Stars     string `query:"stars,optional"`
	Rating    string `query:"rating,optional"`
	Type      string `query:"type,optional"`
	Price     string `query:"price,optional"`
	PriceIn   string `query:"priceIn,optional"`
	Free      string `query:"free,optional"`
	Wifi      string `query:"wifi,optional"`
	Breakfast string `query:"breakfast,optional"`
	Parking   string `query:"parking,optional"`
	Halal     string `query:"halal,optional"`
	Prayer    string `query:"prayer,optional"`
	Generator string `query:"generator,optional"`
	Sort      string `query:"sort,optional"`
	View      string `query:"view,optional"`
	Page      int    `query:"page,optional"`
	Problem   string `query:"problem,optional"`
	Notice    string `query:"notice,optional"`
	Response  string `query:"response,optional"` // to a challenge
}

func (r Request) trip() marketplace.Trip {
	checkIn := marketplace.ChosenDate{Value: r.CheckIn, Day: r.CheckInDay, Month: r.CheckInMonth, Year: r.CheckInYear}
	checkOut := marketplace.ChosenDate{Value: r.CheckOut, Day: r.CheckOutDay, Month: r.CheckOutMonth, Year: r.CheckOutYear}
	return marketplace.Trip{Place: strings.TrimSpace(r.Place), City: r.City, CheckIn: checkIn.String(), CheckOut: checkOut.String(), Adults: r.Adults, Children: r.Children,
		Rooms: r.Rooms, Stars: r.Stars, Rating: r.Rating, Type: r.Type, Price: r.Price, PriceIn: r.PriceIn, Free: r.Free, Wifi: r.Wifi,
		Breakfast: r.Breakfast, Parking: r.Parking, Halal: r.Halal, Prayer: r.Prayer, Generator: r.Generator, Sort: r.Sort, View: r.View, Page: r.Page}
}

func find(ctx context.Context, c marketplace.Call[Request]) (fn.Page, error) {
	trip := c.WithDefaults(c.In.trip())
	switch {
	case c.In.Response != "":
		return c.Solve(ctx, c.In.Response), nil
	case trip.View == "saved":
		return c.SavedPage(ctx, trip, c.In.Problem, c.In.Notice), nil
	case trip.Place == "" && trip.City == "":
		return c.StartPage(ctx, trip, c.In.Problem, c.In.Notice), nil
	case trip.City == "":
		return c.PlacesPage(ctx, trip), nil
	}
	return c.ResultsPage(ctx, trip), nil
}
