// Package find lists reservations by code, by what a guest tells the desk, by arrival date, departure date, current stay or concern.
package find

import (
	"context"
	"slices"
	"time"

	"melmastoon.ghasi.io/functions/reservation"
	"melmastoon.ghasi.io/functions/reservation/internal/booking"
	"melmastoon.ghasi.io/functions/reservation/internal/platform"
	"melmastoon.ghasi.io/functions/reservation/internal/quotes"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
	"melmastoon.ghasi.io/shared/stay"
)

// Function serves GET /api/v1/reservations.
var Function = reservation.HTTP(fn.Spec{
	Name:    "reservation-find",
	Route:   "GET /api/v1/reservations",
	Uses:    fn.Uses{fn.Postgres, fn.Upstream("property"), fn.Upstream("tenant")},
	Timeout: time.Second,
}, New)

// A Response is one page. NextCursor is set if there are more. Attention lists the concerns of the reservations, if the query
// asked for them.
type Response struct {
	fn.Reply     `json:"-"`
	Reservations []booking.View      `json:"reservations"`
	Attention    []booking.Attention `json:"attention,omitzero"`
	NextCursor   *id.Reservation     `json:"nextCursor,omitzero"`
}

type handler struct {
	reservations booking.Reservations
	search       booking.Search
	businessDate func(context.Context, id.Tenant, id.Property, time.Time) (stay.Date, error)
}

// New returns the handler with its stores and clients.
func New(e env.Env) (reservation.Serve[Request, Response], error) {
	up := platform.Open(e)
	return (&handler{booking.OpenReservations(e), booking.OpenSearch(e, up), quotes.OpenQuoter(e, up.Sources).BusinessDate}).find, nil
}

func (h *handler) find(ctx context.Context, c reservation.Call[Request]) (out Response, err error) {
	limit := c.In.Limit.Or(defaultLimit)
	p := booking.Page{After: c.In.Cursor.Or(id.Reservation{}), Limit: limit + 1} // one extra row shows whether there is a next page
	found, concerns, err := h.ask(ctx, c, p)
	if err != nil {
		return out, err
	}
	out = Response{Reply: fn.OK.Reply().Cached("no-store"), Reservations: []booking.View{}} // staff see who the guests are
	if len(found) > limit {
		beyond := found[limit].ID
		found = found[:limit]
		out.NextCursor = &found[limit-1].ID
		concerns = slices.DeleteFunc(concerns, func(a booking.Attention) bool { return a.Reservation == beyond })
	}
	for _, r := range found {
		out.Reservations = append(out.Reservations, r.ViewFor(c.Principal))
	}
	if !c.In.Attention.IsZero() {
		out.Attention = append([]booking.Attention{}, concerns...)
	}
	return out, nil
}

// ask returns the reservations, and their concerns if the query asks for them.
func (h *handler) ask(ctx context.Context, c reservation.Call[Request], p booking.Page) (found []*booking.Reservation, concerns []booking.Attention, err error) {
	if property, ok := c.In.Attention.Get(); ok {
		return h.reservations.Attention(ctx, c.Scope, property, p)
	}
	if code, ok := c.In.Code.Get(); ok {
		found, err = h.reservations.ByCode(ctx, c.Scope, code)
	} else if text, ok := c.In.Text.Get(); ok {
		found, err = h.search.In(ctx, c.Principal, c.In.Property.Or(id.Property{}), text, p)
	} else if property, ok := c.In.InHouse.Get(); ok {
		found, err = h.reservations.InHouse(ctx, c.Scope, property, p)
	} else {
		found, err = h.askByDate(ctx, c, p)
	}
	return found, nil, err
}
