// Package showchanges serves the page on which a guest changes a booking.
//
// The form of the guest's details is empty, because no answer of the booking service contains them.
package showchanges

import (
	"context"
	"time"

	"melmastoon.ghasi.io/functions/demo/storefront"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/fn"
)

// Function serves GET /site/{slug}/confirmations/{reservationId}/changes.
var Function = storefront.HTTP(fn.Spec{
	Name:     "storefront-showchanges",
	Route:    "GET /site/{slug}/confirmations/{reservationId}/changes",
	Siblings: []string{"POST"},
	Uses:     fn.Uses{fn.Upstream("tenantbooking"), fn.Upstream("property")},
	Timeout:  8 * time.Second,
}, show)

// A Request names the reservation and the dates that the guest has chosen, if any. Without the session that made the booking, the token
// is required.
type Request struct {
	Reservation   id.Reservation `path:"reservationId"`
	Token         string         `query:"t,optional"`
	Problem       string         `query:"problem,optional"`
	CheckIn       string         `query:"checkIn,optional"`
	CheckInDay    string         `query:"checkInDay,optional"` // day, month and year of the solar calendar
	CheckInMonth  string         `query:"checkInMonth,optional"`
	CheckInYear   string         `query:"checkInYear,optional"`
	CheckOut      string         `query:"checkOut,optional"`
	CheckOutDay   string         `query:"checkOutDay,optional"`
	CheckOutMonth string         `query:"checkOutMonth,optional"`
	CheckOutYear  string         `query:"checkOutYear,optional"`
}

func (r Request) dates() storefront.NewDates {
	in := storefront.ChosenDate{Value: r.CheckIn, Day: r.CheckInDay, Month: r.CheckInMonth, Year: r.CheckInYear}
	out := storefront.ChosenDate{Value: r.CheckOut, Day: r.CheckOutDay, Month: r.CheckOutMonth, Year: r.CheckOutYear}
	return storefront.NewDates{CheckIn: in.String(), CheckOut: out.String()}
}

// show returns the page, with the price of the chosen dates. For a booking that cannot be changed it redirects to the confirmation.
func show(ctx context.Context, c storefront.Call[Request]) (fn.Page, error) {
	entered := c.Enter(ctx)
	booked, err := c.Confirmation(ctx, c.In.Reservation, c.In.Token)
	switch {
	case err != nil && entered != nil:
		return c.UnavailablePage(entered), nil
	case err != nil:
		return c.ToStart(storefront.Search{}, err), nil
	case entered != nil:
		return c.ToBookedStay(c.In.Reservation, c.In.Token, "", entered), nil
	case booked.State != "confirmed" && c.In.Problem != "": // a change was rejected, for example because the stay has begun
		return c.ToBookedStay(c.In.Reservation, c.In.Token, "", &storefront.ServiceError{Code: c.In.Problem}), nil
	case booked.State != "confirmed":
		return c.ToBookedStay(c.In.Reservation, c.In.Token, "", nil), nil
	}
	to := c.In.dates()
	if to.CheckIn == "" && to.CheckOut == "" {
		return c.ChangesPage(booked, to, nil, c.In.Problem), nil
	}
	offer, err := c.ChangeOffer(ctx, c.In.Reservation, c.In.Token, to)
	if err != nil {
		return c.ChangesPage(booked, to, nil, storefront.ServiceErrorOf(err).Code), nil
	}
	return c.ChangesPage(booked, to, offer, c.In.Problem), nil
}
