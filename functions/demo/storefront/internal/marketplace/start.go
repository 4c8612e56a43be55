package marketplace

import (
	"context"
	"net/url"

	"melmastoon.ghasi.io/shared/platform/fn"
	"melmastoon.ghasi.io/shared/stay"
)

// lastTripCookie keeps the guest's last search in the browser, for the first page.
const lastTripCookie = "trip"

// keepTrip adds the cookie with what LastTrip returns of the trip to a page.
func (v *Visitor) keepTrip(p fn.Page, t Trip) fn.Page {
	query := t.stay()
	query.Set("place", t.Place)
	query.Set("city", t.City)
	p.Reply = p.Reply.Keep(v.browser.Cookie(lastTripCookie, query.Encode(), Home))
	return p
}

// LastTrip returns the guest's last search without its filters if its arrival is not over, or nil.
func (v View) LastTrip() *View {
	query, _ := url.ParseQuery(v.cookie(lastTripCookie))
	v.Trip = v.WithDefaults(Trip{Place: query.Get("place"), City: query.Get("city"), CheckIn: query.Get("checkIn"), CheckOut: query.Get("checkOut"),
		Adults: query.Get("adults"), Children: query.Get("children"), Rooms: query.Get("rooms")})
	if d := v.Dates(); d == nil || d[0].Before(stay.DateOf(v.At)) || v.Trip.City == "" {
		return nil
	}
	return &v
}

// towns returns the cities of the country that the texts of the language name. Without them the page is complete, too. They have no prices:
// only a search has them, and the consumer service would record it as the guest's.
func (v *Visitor) towns(ctx context.Context) []Destination {
	towns, err := v.Destinations(ctx, v.Localizer.T("start.country"))
	if err != nil {
		return nil
	}
	return towns
}
