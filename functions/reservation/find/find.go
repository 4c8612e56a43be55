// Package find lists reservations by code, arrival date or current stay.
package find

import (
	"context"
	"time"

	"melmastoon.ghasi.io/functions/reservation"
	"melmastoon.ghasi.io/functions/reservation/internal/booking"
	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
	"melmastoon.ghasi.io/shared/stay"
)

// Function serves GET /api/v1/reservations.
var Function = reservation.HTTP(fn.Spec{
	Name:    "reservation-find",
	Route:   "GET /api/v1/reservations",
	Uses:    fn.Uses{fn.Postgres},
	Timeout: time.Second,
}, New)

// A Request contains one of three queries: by code, arrivals at a property on a date, or guests staying at a property.
type Request struct {
	Code     fn.Maybe[string]         `query:"code"`
	Arrivals fn.Maybe[id.Property]    `query:"arrivals"`
	Date     fn.Maybe[stay.Date]      `query:"date"`
	InHouse  fn.Maybe[id.Property]    `query:"inHouse"`
	Cursor   fn.Maybe[id.Reservation] `query:"cursor"` // nextCursor of the previous page
	Limit    fn.Maybe[int]            `query:"limit"`
}

const (
	usualLimit = 50
	maxLimit   = 200
)

// Validate requires exactly one complete query and a page size within bounds.
func (r Request) Validate() error {
	asked := 0
	for _, absent := range []bool{r.Code.IsZero(), r.Arrivals.IsZero(), r.InHouse.IsZero()} {
		if !absent {
			asked++
		}
	}
	switch limit := r.Limit.Or(usualLimit); {
	case asked != 1:
		return fault.ErrValidation.With(fault.Violation{Pointer: "", Rule: "one", Message: "ask by exactly one of code, arrivals and inHouse"})
	case r.Arrivals.IsZero() != r.Date.IsZero():
		return fault.ErrValidation.With(fault.Violation{Pointer: "/date", Rule: "with", Message: "goes with arrivals, and arrivals with date"})
	case limit < 1 || limit > maxLimit:
		return fault.ErrValidation.With(fault.Violation{Pointer: "/limit", Rule: "range", Message: "must be 1 to 200"})
	}
	return nil
}

// A Response is one page. NextCursor is set if there are more.
type Response struct {
	Reservations []booking.View  `json:"reservations"`
	NextCursor   *id.Reservation `json:"nextCursor,omitzero"`
}

type finder struct {
	reservations booking.Reservations
}

// New builds the function with the resources that its Spec declares.
func New(e env.Env) (reservation.Serve[Request, Response], error) {
	return (&finder{booking.OpenReservations(e)}).find, nil
}

func (f *finder) find(ctx context.Context, c reservation.Call[Request]) (out Response, err error) {
	limit := c.In.Limit.Or(usualLimit)
	found, err := f.ask(ctx, c, booking.Page{After: c.In.Cursor.Or(id.Reservation{}), Limit: limit + 1}) // one extra row shows whether there is a next page
	if err != nil {
		return out, err
	}
	if len(found) > limit {
		found = found[:limit]
		out.NextCursor = &found[limit-1].ID
	}
	for _, r := range found {
		out.Reservations = append(out.Reservations, r.ViewFor(c.Principal))
	}
	return out, nil
}

func (f *finder) ask(ctx context.Context, c reservation.Call[Request], p booking.Page) ([]*booking.Reservation, error) {
	if code, ok := c.In.Code.Get(); ok {
		return f.reservations.ByCode(ctx, c.Scope, code)
	}
	if property, ok := c.In.InHouse.Get(); ok {
		return f.reservations.InHouse(ctx, c.Scope, property, p)
	}
	return f.reservations.Arrivals(ctx, c.Scope, c.In.Arrivals.Or(id.Property{}), c.In.Date.Or(stay.Date{}), p)
}
