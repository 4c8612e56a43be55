// Package bookwalkin books a room for a guest who stands at the desk, and starts the check-in.
package bookwalkin

import (
	"context"
	"time"

	"melmastoon.ghasi.io/functions/demo/frontdesk"
	"melmastoon.ghasi.io/shared/platform/fn"
)

// Function serves POST /desk/walk-in.
var Function = frontdesk.HTTP(fn.Spec{
	Name:    "frontdesk-bookwalkin",
	Route:   "POST " + frontdesk.Home + "/walk-in",
	Uses:    fn.Uses{fn.Upstream("property"), fn.Upstream("tenant")},
	Timeout: 10 * time.Second,
}, book)

// A Request is the form, unvalidated. A refused form is shown again with what was typed, so that no address contains a name.
type Request struct {
	Once          string `form:"once"`
	Room          string `form:"room"`
	Rate          string `form:"rate"`
	CheckIn       string `form:"checkIn"`
	CheckOut      string `form:"checkOut,optional"`
	CheckOutDay   string `form:"checkOutDay,optional"` // day, month and year of the solar calendar
	CheckOutMonth string `form:"checkOutMonth,optional"`
	CheckOutYear  string `form:"checkOutYear,optional"`
	Adults        string `form:"adults"`
	Children      string `form:"children"`
	FirstName     string `form:"firstName"`
	LastName      string `form:"lastName,optional"`
	Phone         string `form:"phone,optional"`
}

func book(ctx context.Context, c frontdesk.Call[Request]) (fn.Page, error) {
	out := frontdesk.ChosenDate{Value: c.In.CheckOut, Day: c.In.CheckOutDay, Month: c.In.CheckOutMonth, Year: c.In.CheckOutYear}
	return c.BookWalkIn(ctx, frontdesk.WalkIn{
		Once: c.In.Once, Room: c.In.Room, Rate: c.In.Rate, CheckIn: c.In.CheckIn, CheckOut: out.String(), Adults: c.In.Adults, Children: c.In.Children,
		FirstName: c.In.FirstName, LastName: c.In.LastName, Phone: c.In.Phone,
	}), nil
}
