// Package addspecialrequest adds a guest's special request to a reservation.
//
// The event of a guest's own request has no text, because the text may contain a name; the front desk reads it here.
// Requests of staff are published with their text.
package addspecialrequest

import (
	"context"
	"time"

	"melmastoon.ghasi.io/functions/reservation"
	"melmastoon.ghasi.io/functions/reservation/internal/booking"
	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/locale"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
	"melmastoon.ghasi.io/shared/platform/postgres"
)

// Function serves POST /api/v1/reservations/{id}/special-requests.
var Function = reservation.HTTP(fn.Spec{
	Name:       "reservation-addspecialrequest",
	Route:      "POST /api/v1/reservations/{id}/special-requests",
	Answer:     fn.Created,
	Uses:       fn.Uses{fn.Postgres},
	Publishes:  fn.Subjects{booking.RequestAddedV1},
	Idempotent: true,
	Timeout:    time.Second,
}, New)

// A Request holds the special request. With If-Match it is added only to that version of the reservation.
type Request struct {
	ID         id.Reservation      `path:"id" json:"-"`
	Match      fn.Maybe[fn.Match]  `header:"If-Match" json:"-"`
	Tags       []booking.Tag       `json:"tags"`
	FreeText   booking.Text        `json:"freeText,omitzero"`
	Locale     locale.Tag          `json:"locale"`
	Source     booking.Source      `json:"source"`
	Provenance *booking.Provenance `json:"aiProvenance,omitzero"`
}

func (r Request) special() booking.SpecialRequest {
	return booking.SpecialRequest{Tags: r.Tags, FreeText: r.FreeText, Locale: r.Locale, Source: r.Source, Provenance: r.Provenance}
}

// Validate rejects a special request that breaks the rules of booking.SpecialRequest.
func (r Request) Validate() error { return r.special().Validate() }

// A Response is the whole reservation. Staff see its special requests.
type Response struct {
	fn.Reply `json:"-"`
	booking.View
}

type handler struct {
	reservations booking.Reservations
}

// New returns the handler with its stores and clients.
func New(e env.Env) (reservation.Serve[Request, Response], error) {
	return (&handler{booking.OpenReservations(e)}).add, nil
}

func (h *handler) add(ctx context.Context, c reservation.Call[Request]) (out Response, err error) {
	special := c.In.special()
	special.ID, special.AddedBy = id.Derive[id.SpecialRequest](c.Act, "request"), c.Actor
	var r *booking.Reservation
	err = h.reservations.In(ctx, c.Tenant, func(tx postgres.Tx) error {
		if r, err = h.reservations.Lock(ctx, tx, c.Scope, c.In.ID); err != nil {
			return err
		}
		if c.In.Source == booking.FromGuest {
			special.AddedBy = c.ForGuest(r.Guest)
		}
		before := r.Version
		added, err := r.Ask(special)
		if err != nil || !added {
			return err
		}
		if !c.In.Match.Or(fn.Match{}).Allows(int64(before)) {
			return fault.ErrStale
		}
		return h.reservations.SaveRequest(ctx, tx, r)
	})
	if err != nil {
		return out, err
	}
	return Response{fn.Created.Version(int64(r.Version)).Cached("no-store"), r.ViewFor(c.Principal)}, nil
}
