// Package readhotel returns the detail page of a hotel.
package readhotel

import (
	"context"
	"time"

	"melmastoon.ghasi.io/functions/consumer"
	"melmastoon.ghasi.io/functions/consumer/internal/search"
	"melmastoon.ghasi.io/functions/consumer/internal/session"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/locale"
	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
	"melmastoon.ghasi.io/shared/stay"
)

// Function serves GET /bff/consumer/v1/hotels/{propertyId}.
var Function = consumer.HTTP(fn.Spec{
	Name:  "consumer-readhotel",
	Route: "GET " + consumer.Base + "/hotels/{propertyId}",
	Uses: fn.Uses{fn.Postgres, fn.Documents, fn.Upstream("property"), fn.Upstream("tenant"), fn.Upstream("search"), fn.Upstream("pricing"),
		fn.Upstream("theme")},
	Publishes: fn.Subjects{session.FunnelStepReachedV1},
	Timeout:   1500 * time.Millisecond,
}, New)

// A Request names the hotel, and optionally the stay for prices and the source of the view.
type Request struct {
	Property id.Property                  `path:"propertyId"`
	CheckIn  fn.Maybe[stay.Date]          `query:"checkIn"`
	CheckOut fn.Maybe[stay.Date]          `query:"checkOut"`
	Adults   fn.Maybe[int]                `query:"adults"`
	Children fn.Maybe[int]                `query:"children"`
	Rooms    fn.Maybe[int]                `query:"rooms"`
	Source   fn.Maybe[session.ViewSource] `query:"source"`
}

// trip returns the default trip with the request's values applied. Without a check-out date the stay is one night.
func (r *Request) trip(now time.Time, c money.Currency) search.Trip {
	usual := search.DefaultTrip(now, c)
	usual.Dates.CheckIn = r.CheckIn.Or(usual.Dates.CheckIn)
	usual.Dates.CheckOut = r.CheckOut.Or(usual.Dates.CheckIn.AddDays(1))
	usual.Occupancy = search.Occupancy{
		Adults: r.Adults.Or(usual.Occupancy.Adults), Children: r.Children.Or(0), Rooms: r.Rooms.Or(usual.Occupancy.Rooms),
	}
	return usual
}

// ValidateAt rejects a stay that is invalid at that time.
func (r *Request) ValidateAt(now time.Time) error { return r.trip(now, money.USD).Check(now) }

// A Response is the detail page.
type Response struct {
	fn.Reply `json:"-"`
	search.HotelDetail
}

// details composes the detail page of a hotel.
type details interface {
	Detail(context.Context, locale.Tag, id.Property, search.Trip) (search.HotelDetail, search.Composition, error)
}

// recorder records viewed hotels.
type recorder interface {
	Viewed(context.Context, session.Visitor, session.RecentlyViewed)
}

type handler struct {
	hotels  details
	history recorder
}

// New returns the handler with its stores and clients.
func New(e env.Env) (consumer.Serve[Request, Response], error) {
	hotels, err := search.OpenHotels(e)
	if err != nil {
		return nil, err
	}
	history, err := session.OpenHistory(e)
	return (&handler{hotels, history}).read, err
}

func (h *handler) read(ctx context.Context, c consumer.Call[Request]) (out Response, err error) {
	shown, how, err := h.hotels.Detail(ctx, c.Locale, c.In.Property, c.In.trip(c.Now, c.Currency))
	if err != nil {
		return out, err
	}
	if !c.Speculative { // a prefetched page may never be shown
		h.history.Viewed(ctx, c.Visitor, session.RecentlyViewed{
			Property: c.In.Property, Tenant: shown.Property.Tenant, ViewedAt: c.Now, Source: c.In.Source.Or(session.FromLink),
		})
	}
	reply := fn.OK.Reply().Version(shown.Version()).FromCache(string(how.State)).Varies("Accept-Language", "Cookie", "X-Currency")
	return Response{reply, shown}, nil
}
