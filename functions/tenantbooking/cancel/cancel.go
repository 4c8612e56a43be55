// Package cancel cancels a confirmed booking for its guest.
package cancel

import (
	"context"
	"errors"
	"time"

	"melmastoon.ghasi.io/functions/tenantbooking"
	"melmastoon.ghasi.io/functions/tenantbooking/internal/booking"
	"melmastoon.ghasi.io/functions/tenantbooking/internal/subject"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
)

// Function serves POST /bff/tenant-booking/v1/{tenantSlug}/confirmation/{reservationId}/cancel.
var Function = tenantbooking.HTTP(fn.Spec{
	Name:       "tenantbooking-cancel",
	Route:      "POST " + tenantbooking.Base + "/confirmation/{reservationId}/cancel",
	Uses:       fn.Uses{fn.Postgres, fn.Documents, fn.Upstream("reservation")},
	Publishes:  fn.Subjects{subject.ErrorEncounteredV1},
	Idempotent: true,
	Timeout:    5 * time.Second,
}, New, tenantbooking.WithoutSession, tenantbooking.WithViewToken, tenantbooking.WhileSuspended)

// A Request names the reservation. A client without the session that made the booking needs the token. A dry run returns the same
// amounts and changes nothing.
type Request struct {
	Reservation id.Reservation        `path:"reservationId" json:"-"`
	Token       fn.Maybe[string]      `query:"t" json:"-"`
	DryRun      bool                  `json:"dryRun,omitzero"`
	Penalty     fn.Maybe[money.Minor] `json:"penalty,omitzero"` // the highest that the guest accepts
}

func (r Request) terms() booking.CancelRequest {
	return booking.CancelRequest{DryRun: r.DryRun, Penalty: r.Penalty}
}

// Validate returns an error for an invalid penalty.
func (r Request) Validate() error { return r.terms().Validate() }

// A Response is the state of the reservation and the terms of the cancellation.
type Response struct {
	Reservation id.Reservation `json:"reservationId"`
	State       string         `json:"state"`
	booking.Cancellation
	FreeUntil *time.Time `json:"freeCancellationUntil,omitzero"` // absent if the booking is cancelled
	DryRun    bool       `json:"dryRun,omitzero"`
}

type handler struct {
	reservations  booking.Reservations
	confirmations booking.Confirmations
}

// New returns the handler with its stores and clients.
func New(e env.Env) (tenantbooking.Serve[Request, Response], error) {
	confirmations, err := booking.OpenConfirmations(e)
	return (&handler{booking.OpenReservations(e), confirmations}).cancel, err
}

// cancel cancels the booking. If it is cancelled already, cancel returns the terms of that cancellation instead of an error: the guest
// may have cancelled in another window, or may not have received the response.
func (h *handler) cancel(ctx context.Context, c tenantbooking.Call[Request]) (out Response, err error) {
	read := func(ctx context.Context) (booking.Reservation, error) {
		return h.reservations.GetBooked(ctx, c.Tenant.ID, c.In.Reservation)
	}
	before, err := h.confirmations.Open(ctx, c.Visitor, booking.Access{Reservation: c.In.Reservation, Token: c.In.Token.Or("")}, c.Now, read)
	if err != nil {
		return out, err
	}
	if before.Cancelled() {
		return earlier(c, before)
	}
	after, terms, err := h.reservations.Cancel(ctx, before, c.In.terms(), id.Derive[id.Request](c.Act, "cancel").String())
	if errors.Is(err, booking.ErrIllegalTransition) { // a concurrent request may have cancelled it
		if latest, readErr := read(ctx); readErr == nil && latest.Cancelled() {
			return earlier(c, latest)
		}
	}
	if err != nil {
		return out, err
	}
	return Response{Reservation: after.ID, State: after.State, Cancellation: terms, FreeUntil: after.FreeUntil, DryRun: c.In.DryRun}, nil
}

// earlier returns the terms of the completed cancellation.
func earlier(c tenantbooking.Call[Request], r booking.Reservation) (Response, error) {
	terms, err := r.Terms()
	return Response{Reservation: r.ID, State: r.State, Cancellation: terms, DryRun: c.In.DryRun}, err
}
