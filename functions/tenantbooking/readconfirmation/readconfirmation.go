// Package readconfirmation serves the confirmation of a booking.
//
// The view token is checked before any look-up. Without a valid one the drafts of the session decide before the cache
// and the reservation service do, so the time of a 404 does not tell which ids exist.
package readconfirmation

import (
	"context"
	"time"

	"melmastoon.ghasi.io/functions/tenantbooking"
	"melmastoon.ghasi.io/functions/tenantbooking/internal/booking"
	"melmastoon.ghasi.io/functions/tenantbooking/internal/subject"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/cache"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
)

// Function serves GET /bff/tenant-booking/v1/{tenantSlug}/confirmation/{reservationId}.
var Function = tenantbooking.HTTP(fn.Spec{
	Name:      "tenantbooking-readconfirmation",
	Route:     "GET " + tenantbooking.Base + "/confirmation/{reservationId}",
	Siblings:  []string{"PATCH"},
	Uses:      fn.Uses{fn.Postgres, fn.Documents, fn.Upstream("reservation")},
	Publishes: fn.Subjects{subject.ConfirmationViewedV1},
	Timeout:   time.Second,
}, New, tenantbooking.WithoutSession, tenantbooking.WhileSuspended)

// A Request names the reservation. A client without the session that made the booking needs the token.
type Request struct {
	Reservation id.Reservation   `path:"reservationId"`
	Token       fn.Maybe[string] `query:"t"`
}

// A Response is the confirmation.
type Response struct {
	fn.Reply `json:"-"`
	booking.Confirmation
}

// registry is the part of the reservation service that this function uses.
type registry interface {
	Get(context.Context, id.Tenant, id.Reservation) (booking.Reservation, cache.State, error)
}

type handler struct {
	reservations  registry
	confirmations booking.Confirmations
}

// New returns the handler with its stores and clients.
func New(e env.Env) (tenantbooking.Serve[Request, Response], error) {
	confirmations, err := booking.OpenConfirmations(e)
	return (&handler{booking.OpenReservationCopies(e), confirmations}).read, err
}

// read returns ErrNotFound to a caller without access.
func (h *handler) read(ctx context.Context, c tenantbooking.Call[Request]) (out Response, err error) {
	var state cache.State
	access := booking.Access{Reservation: c.In.Reservation, Token: c.In.Token.Or("")}
	booked, err := h.confirmations.Open(ctx, c.Visitor, access, c.Now, func(ctx context.Context) (found booking.Reservation, err error) {
		found, state, err = h.reservations.Get(ctx, c.Tenant.ID, c.In.Reservation)
		return found, err
	})
	if err != nil {
		return out, err
	}
	if !c.Session.ID.IsZero() && !c.Speculative { // a prefetch by the browser does not count as seen
		h.confirmations.RecordView(ctx, c.Visitor, booked, string(state), c.Now)
	}
	out.Reply = fn.OK.Reply().Version(booked.Version).FromCache(string(state)).Cached("private, no-store")
	out.Confirmation, err = h.confirmations.View(booked)
	return out, err
}
