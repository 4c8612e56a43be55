// Package walkin books a guest who stands at the desk: quote, hold, guest details, confirmation and check-in in one act.
//
// It accepts cash only, because other methods need a page on which the guest pays. If another desk takes the room in
// that moment, the guest is booked without check-in.
package walkin

import (
	"context"
	"time"

	"melmastoon.ghasi.io/functions/reservation"
	"melmastoon.ghasi.io/functions/reservation/internal/booking"
	"melmastoon.ghasi.io/functions/reservation/internal/guests"
	"melmastoon.ghasi.io/functions/reservation/internal/platform"
	"melmastoon.ghasi.io/functions/reservation/internal/quotes"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/locale"
	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
	"melmastoon.ghasi.io/shared/stay"
)

// Function serves POST /api/v1/reservations/walk-ins.
var Function = reservation.FrontDesk(fn.Spec{
	Name:   "reservation-walkin",
	Route:  "POST /api/v1/reservations/walk-ins",
	Answer: fn.Created,
	Uses: fn.Uses{
		fn.Postgres, fn.Upstream("pricing"), fn.Upstream("property"), fn.Upstream("tenant"), fn.Upstream("inventory"), fn.Upstream("payment"),
		fn.Upstream("lock"),
	},
	Publishes: append(fn.Subjects{quotes.RequestedV1, quotes.CreatedV1, booking.HeldV1, booking.ConfirmedV1},
		booking.CancelledV1, booking.RequestAddedV1, booking.CheckInStartedV1, booking.CheckedInV1, booking.ItemsCheckedInV1),
	Idempotent: true,
	Timeout:    5 * time.Second,
}, New)

// A Request describes the stay, the guest and the payment. With rooms, the check-in of their items starts too.
type Request struct {
	Property id.Property         `json:"propertyId"`
	Items    []quotes.AskedItem  `json:"items"`
	Stay     stay.Window         `json:"stayWindow"`
	Currency money.Currency      `json:"currency"`
	Locale   locale.Tag          `json:"locale"`
	Guest    Guest               `json:"guest"`
	Payment  Payment             `json:"payment"`
	Rooms    []booking.AskedRoom `json:"rooms,omitzero"`
}

// A Guest holds the primary guest's details. The language is that of the request.
type Guest struct {
	FirstName string       `json:"firstName"`
	LastName  string       `json:"lastName"`
	Email     string       `json:"email,omitzero"`
	Phone     string       `json:"phone,omitzero"`
	Requests  booking.Text `json:"specialRequests,omitzero"`
}

// A Payment names the method. Only cash needs no page to pay on.
type Payment struct {
	Method booking.Method `json:"method"`
}

func (r Request) walkIn() booking.DeskBooking {
	g := r.Guest
	return booking.DeskBooking{
		Ask:    quotes.Ask{Property: r.Property, Items: r.Items, Stay: r.Stay, Currency: r.Currency, Locale: r.Locale},
		Guest:  guests.Person{FirstName: g.FirstName, LastName: g.LastName, Email: g.Email, Phone: g.Phone, Locale: r.Locale, Requests: string(g.Requests)},
		Method: r.Payment.Method, Rooms: r.Rooms,
	}
}

// Validate rejects impossible stays, guests without a name, other methods of payment than cash, and rooms that do not fit.
func (r Request) Validate() error { return r.walkIn().Validate() }

// A Response is the whole reservation.
type Response = reservation.Whole

type handler struct {
	walkIns *booking.WalkIns
}

// New returns the handler with its stores and clients.
func New(e env.Env) (reservation.Serve[Request, Response], error) {
	walkIns, err := booking.OpenWalkIns(e, platform.Open(e))
	return (&handler{walkIns}).book, err
}

func (h *handler) book(ctx context.Context, c reservation.Call[Request]) (out Response, err error) {
	r, err := h.walkIns.Book(ctx, c.Act, c.Principal, c.In.walkIn(), c.Now)
	if err != nil {
		return out, err
	}
	return reservation.Answer(fn.Created, r, c.Principal), nil
}
