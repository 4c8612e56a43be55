// Package offerrooms serves the first page of a hotel's site: its rooms for the guest's dates.
package offerrooms

import (
	"context"
	"time"

	"melmastoon.ghasi.io/functions/demo/storefront"
	"melmastoon.ghasi.io/shared/platform/fn"
)

// Function serves GET /site/{slug}.
var Function = storefront.HTTP(fn.Spec{
	Name:    "storefront-offerrooms",
	Route:   "GET /site/{slug}",
	Uses:    fn.Uses{fn.Upstream("tenantbooking")},
	Timeout: 5 * time.Second,
}, offer)

// A Request holds the guest's search and the parameters of the link.
type Request struct {
	Property string `query:"propertyId,optional"`
	CheckIn  string `query:"checkIn,optional"`
	CheckOut string `query:"checkOut,optional"`

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
	Problem  string `query:"problem,optional"`
	Notice   string `query:"notice,optional"`
	Token    string `query:"h,optional"`
	Source   string `query:"utm_source,optional"`
	Medium   string `query:"utm_medium,optional"`
	Campaign string `query:"utm_campaign,optional"`
}

func (r Request) search() storefront.Search {
	checkIn := storefront.ChosenDate{Value: r.CheckIn, Day: r.CheckInDay, Month: r.CheckInMonth, Year: r.CheckInYear}
	checkOut := storefront.ChosenDate{Value: r.CheckOut, Day: r.CheckOutDay, Month: r.CheckOutMonth, Year: r.CheckOutYear}
	return storefront.Search{Property: r.Property, CheckIn: checkIn.String(), CheckOut: checkOut.String(), Adults: r.Adults, Children: r.Children, Rooms: r.Rooms}
}

func offer(ctx context.Context, c storefront.Call[Request]) (fn.Page, error) {
	err := c.EnterByLink(ctx, storefront.EntryLink{Token: c.In.Token, Source: c.In.Source, Medium: c.In.Medium, Campaign: c.In.Campaign})
	if chosen, ok := storefront.RejectedHandoff(err); ok {
		return c.ToStart(chosen.Search(), nil), nil // only the attribution is lost
	}
	switch {
	case err != nil && c.In.Token != "" && storefront.ServiceErrorOf(err).IsHandoff():
		return c.ToStart(storefront.Search{}, err), nil // continue without the handoff, and show the problem
	case err != nil:
		return c.UnavailablePage(err), nil
	}
	chosen, linked := c.In.search(), c.In.Token != ""
	if c.Bootstrap.Arrival != nil {
		chosen = c.Bootstrap.Arrival.Search()
	}
	if linked && !c.Speculative {
		return c.KeepReader(c.ToStart(chosen, nil)), nil // removes the token from the address bar
	}
	search := c.WithDefaults(chosen)
	view := storefront.View{Step: "rooms", Title: c.Localizer.T("search.title"), Problem: c.In.Problem, Notice: c.In.Notice, Search: search, Back: c.Home()}
	if linked || !chosen.HasDates() { // a preview of the link has no session, which the search requires
		return c.Show(view), nil
	}
	view.Back += "?" + search.Query().Encode()
	if view.Available, err = c.Search(ctx, search); err != nil {
		view.Available, view.Problem = nil, storefront.ServiceErrorOf(err).Code
	}
	return c.Show(view), nil
}
