// Package setguest sets the primary guest's details.
//
// Staff and desk services may leave out the e-mail address or the telephone number; such a guest gets no message.
// Hashes of contact data are published with a change after the confirmation only, because an erasure reaches no hash in
// confirmed, which is kept for seven years.
package setguest

import (
	"context"
	"time"

	"melmastoon.ghasi.io/functions/reservation"
	"melmastoon.ghasi.io/functions/reservation/internal/booking"
	"melmastoon.ghasi.io/functions/reservation/internal/guests"
	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/locale"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
	"melmastoon.ghasi.io/shared/platform/postgres"
)

// Function serves PUT /api/v1/reservations/{id}/guest.
var Function = reservation.HTTP(fn.Spec{
	Name:       "reservation-setguest",
	Route:      "PUT /api/v1/reservations/{id}/guest",
	Uses:       fn.Uses{fn.Postgres},
	Publishes:  fn.Subjects{booking.ModifiedV1, booking.RequestAddedV1},
	Idempotent: true,
	Timeout:    time.Second,
}, New)

// A Request holds the primary guest's details. With If-Match it applies only to that version of the reservation.
type Request struct {
	ID        id.Reservation     `path:"id" json:"-"`
	Match     fn.Maybe[fn.Match] `header:"If-Match" json:"-"`
	FirstName string             `json:"firstName"`
	LastName  string             `json:"lastName"`
	Email     string             `json:"email,omitzero"` // staff may leave out either
	Phone     string             `json:"phone,omitzero"`
	Locale    locale.Tag         `json:"locale"`
	Requests  *booking.Text      `json:"specialRequests,omitzero"` // nil: none, or those of a booked reservation stay
}

func (r Request) person() guests.Person {
	p := guests.Person{FirstName: r.FirstName, LastName: r.LastName, Email: r.Email, Phone: r.Phone, Locale: r.Locale}
	if r.Requests != nil {
		p.Requests = string(*r.Requests)
	}
	return p
}

// Validate rejects a guest without a name and malformed contact data.
func (r Request) Validate() error { return r.person().Validate() }

// A Response is the whole reservation with the guest's id and language. Only staff see names and contact data.
type Response struct {
	reservation.Whole
	booking.GuestView
}

type handler struct {
	reservations booking.Reservations
	guests       booking.Guests
}

// New returns the handler with its stores and clients.
func New(e env.Env) (reservation.Serve[Request, Response], error) {
	guests, err := booking.OpenGuests(e)
	return (&handler{booking.OpenReservations(e), guests}).set, err
}

func (h *handler) set(ctx context.Context, c reservation.Call[Request]) (Response, error) {
	var r *booking.Reservation
	if !c.ActsForStaff() {
		if err := c.In.person().Reachable(); err != nil {
			return Response{}, err
		}
	}
	err := h.reservations.In(ctx, c.Tenant, func(tx postgres.Tx) (err error) {
		if r, err = h.reservations.Lock(ctx, tx, c.Scope, c.In.ID); err != nil || r.HasDetailsOf(c.Act) {
			return err
		}
		if err := r.MayName(); err != nil {
			return err
		}
		if !c.In.Match.Or(fn.Match{}).Allows(int64(r.Version)) {
			return fault.ErrStale
		}
		person := c.In.person()
		if c.In.Requests == nil && r.State != booking.Held {
			person.Requests = r.RequestWithDetails()
		}
		return h.guests.Save(ctx, tx, h.reservations, r, c.Actor, c.Act, person)
	})
	if err != nil {
		return Response{}, err
	}
	return Response{reservation.Answer(fn.OK, r, c.Principal), booking.GuestView{Guest: r.Guest, Locale: r.Locale}}, nil
}
