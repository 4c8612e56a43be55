package marketplace

import (
	"context"
	"net/http"
	"net/url"
	"time"

	"melmastoon.ghasi.io/functions/demo/internal/page"
	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/platform/fn"
	"melmastoon.ghasi.io/shared/stay"
)

// lastTripCookie keeps the guest's last search in the browser, for the first page.
const lastTripCookie = "trip"

func (v *Visitor) keepTrip(p fn.Page, t Trip) fn.Page {
	t.View = ""
	p.Reply = p.Reply.Keep(v.browser.Cookie(lastTripCookie, t.fields().Encode(), Home))
	return p
}

// LastTrip returns the guest's last search if its arrival is not over, or nil.
func (v View) LastTrip() *View {
	c, err := (&http.Request{Header: v.browser.Header}).Cookie(lastTripCookie)
	if err != nil {
		return nil
	}
	query, _ := url.ParseQuery(c.Value)
	v.Trip = v.WithDefaults(Trip{Place: query.Get("place"), City: query.Get("city"), CheckIn: query.Get("checkIn"), CheckOut: query.Get("checkOut"),
		Adults: query.Get("adults"), Children: query.Get("children"), Rooms: query.Get("rooms")})
	if d := v.Dates(); d == nil || d[0].Before(stay.DateOf(v.At)) || v.Trip.City == "" {
		return nil
	}
	return &v
}

// towns returns the cities of the country that the texts of the language name, with the lowest price of a night in each, tomorrow. Without
// them the page is complete, too.
func (v *Visitor) towns(ctx context.Context) ([]Destination, map[string]money.Minor) {
	towns, err := v.Destinations(ctx, v.Localizer.T("start.country"))
	if err != nil || len(towns) == 0 {
		return nil, nil
	}
	key := string(v.Currency) + towns[0].Country
	known, _ := v.market.lowest.Load(key)
	if known, ok := known.(lowestPrices); ok && v.At.Before(known.until) {
		return towns, known.of
	}
	tomorrow := stay.DateOf(v.At).AddDays(1)
	in := v.WithDefaults(Trip{CheckIn: tomorrow.String(), CheckOut: tomorrow.AddDays(1).String(), Sort: "price-asc"}).search()
	in.Geo, in.Page.Limit = geo{Mode: "region", Region: towns[0].Country}, mostCards
	var out Results
	if err := v.call(ctx, page.Request{Method: http.MethodPost, URL: "/search", In: in, Out: &out}); err != nil {
		return towns, nil
	}
	prices := map[string]money.Minor{}
	for _, c := range out.Cards {
		if _, dearer := prices[c.City]; !dearer && c.Price != nil {
			prices[c.City] = c.Price.Whole()
		}
	}
	v.market.lowest.Store(key, lowestPrices{v.At.Add(pricesKept), prices})
	return towns, prices
}

// mostCards is the largest page that the consumer service returns.
const mostCards = 50

// pricesKept is how long the first page shows the same lowest prices: each search for them counts as one of the guest's requests.
const pricesKept = 10 * time.Minute

// lowestPrices are the lowest prices of a night by city. A market keeps them by currency and country.
type lowestPrices struct {
	until time.Time
	of    map[string]money.Minor
}
