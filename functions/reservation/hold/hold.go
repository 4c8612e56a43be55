// Package hold holds the rooms of a quote for a guest for some minutes.
package hold

import (
	"context"
	"time"

	"melmastoon.ghasi.io/functions/reservation"
	"melmastoon.ghasi.io/functions/reservation/internal/access"
	"melmastoon.ghasi.io/functions/reservation/internal/booking"
	"melmastoon.ghasi.io/functions/reservation/internal/platform"
	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
)

// Function serves POST /api/v1/reservations/holds.
var Function = reservation.HTTP(fn.Spec{
	Name:       "reservation-hold",
	Route:      "POST /api/v1/reservations/holds",
	Answer:     fn.Created,
	Uses:       fn.Uses{fn.Postgres, fn.Upstream("inventory"), fn.Upstream("tenant")},
	Publishes:  fn.Subjects{booking.HeldV1, booking.CancelledV1},
	Idempotent: true,
	Timeout:    3 * time.Second,
}, New)

// A Request names the quote to hold, its sales channel and the actor.
type Request struct {
	Quote     id.Quote          `json:"quoteId"`
	Channel   booking.Channel   `json:"channel"`
	Partner   booking.Reference `json:"partnerId,omitzero"`
	Session   *id.TenantSession `json:"sessionId,omitzero"`
	Draft     *id.Draft         `json:"draftId,omitzero"`
	CreatedBy access.Actor      `json:"createdBy"`
	Quota     booking.Quota     `json:"quota,omitzero"`                 // zero: no limit
	Replaces  *id.Reservation   `json:"replacesReservationId,omitzero"` // a hold of the same guest, cancelled in favour of this one
}

// Validate rejects a malformed quota, and one without a session.
func (r Request) Validate() error {
	switch {
	case r.Quota == (booking.Quota{}):
		return nil
	case r.Session == nil:
		return fault.ErrValidation.With(fault.Violation{Pointer: "/sessionId", Rule: "required", Message: "is required with quota"})
	}
	return r.Quota.Validate()
}

// A Response is the reservation, with the server's time as the base for its expiry.
type Response struct {
	booking.View
	ServerTime time.Time `json:"serverTime"`
}

type handler struct {
	useCase *booking.Holder
}

// New returns the handler with its stores and clients.
func New(e env.Env) (reservation.Serve[Request, Response], error) {
	return (&handler{booking.OpenHolder(e, platform.Open(e))}).hold, nil
}

func (h *handler) hold(ctx context.Context, c reservation.Call[Request]) (out Response, err error) {
	if !c.CanActAs(c.In.CreatedBy) {
		return out, fault.ErrForbidden
	}
	r, err := h.useCase.Hold(ctx, c.Principal, c.In.Quote, booking.Details{
		Act: c.Act, Channel: c.In.Channel, Partner: c.In.Partner, Session: c.In.Session, Draft: c.In.Draft, Quota: c.In.Quota, CreatedBy: c.In.CreatedBy,
	}, c.In.Replaces)
	if err != nil {
		return out, err
	}
	return Response{View: r.View(), ServerTime: c.Now}, nil
}
