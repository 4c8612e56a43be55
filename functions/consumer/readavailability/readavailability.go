// Package readavailability returns a summary of a hotel's offers for a stay.
package readavailability

import (
	"context"
	"time"

	"melmastoon.ghasi.io/functions/consumer"
	"melmastoon.ghasi.io/functions/consumer/internal/search"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/locale"
	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
	"melmastoon.ghasi.io/shared/stay"
)

// Function serves GET /bff/consumer/v1/hotels/{propertyId}/availability.
var Function = consumer.HTTP(fn.Spec{
	Name:  "consumer-readavailability",
	Route: "GET " + consumer.Base + "/hotels/{propertyId}/availability",
	Uses:  fn.Uses{fn.Postgres, fn.Documents, fn.Upstream("property"), fn.Upstream("tenant"), fn.Upstream("pricing")},
}, New)

// A Request names the hotel, the dates and the occupancy.
type Request struct {
	Property id.Property   `path:"propertyId"`
	CheckIn  stay.Date     `query:"checkIn"`
	CheckOut stay.Date     `query:"checkOut"`
	Adults   int           `query:"adults"`
	Children fn.Maybe[int] `query:"children"`
	Rooms    fn.Maybe[int] `query:"rooms"`
}

func (r *Request) trip(c money.Currency) search.Trip {
	return search.Trip{
		Dates:     search.DateRange{CheckIn: r.CheckIn, CheckOut: r.CheckOut},
		Occupancy: search.Occupancy{Adults: r.Adults, Children: r.Children.Or(0), Rooms: r.Rooms.Or(1)},
		Currency:  c,
	}
}

// ValidateAt rejects a stay that is invalid at that time.
func (r *Request) ValidateAt(now time.Time) error { return r.trip(money.USD).Check(now) }

// A Response holds the hotel's offers.
type Response struct {
	fn.Reply `json:"-"`
	search.Vacancy
}

// vacancies composes a hotel's offers.
type vacancies interface {
	Vacancy(context.Context, locale.Tag, id.Property, search.Trip) (search.Vacancy, search.Composition, error)
}

type handler struct{ hotels vacancies }

// New returns the handler with its stores and clients.
func New(e env.Env) (consumer.Serve[Request, Response], error) {
	hotels, err := search.OpenHotels(e)
	return (&handler{hotels}).find, err
}

func (h *handler) find(ctx context.Context, c consumer.Call[Request]) (out Response, err error) {
	sold, how, err := h.hotels.Vacancy(ctx, c.Locale, c.In.Property, c.In.trip(c.Currency))
	if err != nil {
		return out, err
	}
	reply := fn.OK.Reply().FromCache(string(how.State)).Varies("Accept-Language", "Cookie", "X-Currency")
	return Response{reply, sold}, nil
}
