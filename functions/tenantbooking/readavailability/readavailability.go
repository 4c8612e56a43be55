// Package readavailability serves the rooms of a property for a stay, with prices.
package readavailability

import (
	"context"
	"time"

	"melmastoon.ghasi.io/functions/tenantbooking"
	"melmastoon.ghasi.io/functions/tenantbooking/internal/hotel"
	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
	"melmastoon.ghasi.io/shared/stay"
)

// Function serves GET /bff/tenant-booking/v1/{tenantSlug}/availability.
var Function = tenantbooking.HTTP(fn.Spec{
	Name:    "tenantbooking-readavailability",
	Route:   "GET " + tenantbooking.Base + "/availability",
	Uses:    fn.Uses{fn.Documents, fn.Upstream("property"), fn.Upstream("inventory"), fn.Upstream("pricing")},
	Timeout: 1500 * time.Millisecond,
}, New)

// A Request holds the property, the dates and the number of guests.
type Request struct {
	Property id.Property   `query:"propertyId"`
	CheckIn  stay.Date     `query:"checkIn"`
	CheckOut stay.Date     `query:"checkOut"`
	Adults   int           `query:"adults"`
	Children fn.Maybe[int] `query:"children"`
	Rooms    fn.Maybe[int] `query:"rooms"`
}

func (r *Request) stay() hotel.Stay {
	return hotel.Stay{CheckIn: r.CheckIn, CheckOut: r.CheckOut}
}

func (r *Request) occupancy() hotel.Occupancy {
	return hotel.Occupancy{Adults: r.Adults, Children: r.Children.Or(0), Rooms: r.Rooms.Or(1)}
}

// Validate returns an error for invalid dates or numbers of guests.
func (r *Request) Validate() error {
	if err := r.stay().Window().Validate(); err != nil {
		return fault.ErrValidation.With(fault.Violation{Pointer: "/checkOut", Rule: "range", Message: err.Error()})
	}
	if wrong := r.occupancy().Check(""); wrong != nil {
		return fault.ErrValidation.With(wrong...)
	}
	return nil
}

// A Response is the rooms. Degraded lists the parts that could not be read.
type Response struct {
	fn.Reply `json:"-"`
	Property id.Property      `json:"propertyId"`
	Stay     hotel.Stay       `json:"stayWindow"`
	Currency money.Currency   `json:"currency"`
	Stale    bool             `json:"stale"`
	Degraded []string         `json:"degraded,omitempty"`
	Rooms    []hotel.RoomView `json:"rooms"`
}

type handler struct {
	rooms *hotel.Rooms
}

// New returns the handler with its stores and clients.
func New(e env.Env) (tenantbooking.Serve[Request, Response], error) {
	return (&handler{hotel.OpenRooms(e)}).find, nil
}

// find rejects a stay in the past. Otherwise such a stay would look as if its price were temporarily missing.
func (h *handler) find(ctx context.Context, c tenantbooking.Call[Request]) (out Response, err error) {
	const pointer = "/checkIn"
	if err := hotel.CheckAnywhere(c.In.CheckIn, pointer, c.Now); err != nil {
		return out, err
	}
	found, err := h.rooms.Find(ctx, hotel.Search{
		Tenant: c.Tenant.ID, Property: c.In.Property, Stay: c.In.stay(), Occupancy: c.In.occupancy(), Currency: c.Currency,
	})
	if err != nil {
		return out, err
	}
	if err := found.Property.CheckArrival(c.In.CheckIn, pointer, c.Now); err != nil {
		return out, err
	}
	reply := fn.OK.Reply().Cached("private, no-store").FromCache(string(found.Cache)).Language(string(c.Locale)).Varies("Cookie", "X-Currency")
	return Response{
		Reply: reply, Property: c.In.Property, Stay: c.In.stay(), Currency: c.Currency, Stale: found.Stale,
		Degraded: found.Missing, Rooms: found.Rooms(c.Locale, c.Currency),
	}, nil
}
