// Package hold holds the quoted rooms of a draft while the guest fills in the booking form.
package hold

import (
	"context"
	"time"

	"melmastoon.ghasi.io/functions/tenantbooking"
	"melmastoon.ghasi.io/functions/tenantbooking/internal/booking"
	upstream "melmastoon.ghasi.io/functions/tenantbooking/internal/reservation"
	"melmastoon.ghasi.io/functions/tenantbooking/internal/subject"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
)

// Function serves POST /bff/tenant-booking/v1/{tenantSlug}/hold.
var Function = tenantbooking.HTTP(fn.Spec{
	Name:       "tenantbooking-hold",
	Route:      "POST " + tenantbooking.Base + "/hold",
	Answer:     fn.Created,
	Uses:       fn.Uses{fn.Postgres, fn.Documents, fn.Upstream("reservation")},
	Publishes:  fn.Subjects{subject.DraftCreatedV1, subject.StepCompletedV1, subject.ErrorEncounteredV1},
	Idempotent: true,
	Timeout:    3 * time.Second,
}, New, tenantbooking.FromBootstrap, tenantbooking.NewBookings)

// A Request names the draft and the quote to hold, optionally with the total that the guest was shown.
type Request = booking.HoldRequest

// A Response is the hold and its end.
type Response struct {
	Draft       id.Draft       `json:"draftId"`
	Reservation id.Reservation `json:"reservationId"`
	Code        string         `json:"reservationCode"`
	ExpiresAt   time.Time      `json:"holdExpiresAt"`
	ServerTime  time.Time      `json:"serverTime"`
	State       booking.State  `json:"flowState"`
}

// reserver is the part of the reservation service that this function uses.
type reserver interface {
	Hold(context.Context, *booking.Draft, upstream.Quota) (booking.Hold, error)
}

type handler struct {
	drafts       booking.Drafts
	limits       booking.HoldLimits
	reservations reserver
}

// New returns the handler with its stores and clients.
func New(e env.Env) (tenantbooking.Serve[Request, Response], error) {
	limits, err := booking.OpenHoldLimits(e)
	return (&handler{drafts: booking.OpenDrafts(e), limits: limits, reservations: booking.OpenReservations(e)}).hold, err
}

func (h *handler) hold(ctx context.Context, c tenantbooking.Call[Request]) (out Response, err error) {
	draft, err := h.limits.Attempt(c.Visitor, c.Trace(), c.Now, func() (*booking.Draft, error) {
		return booking.Again(ctx, func() (*booking.Draft, error) { return h.keep(ctx, c) })
	})
	if err != nil {
		return out, err
	}
	return Response{
		Draft: draft.ID, Reservation: draft.Hold.Reservation, Code: draft.Hold.Code, ExpiresAt: draft.Hold.ExpiresAt,
		ServerTime: draft.AsOf, State: draft.State,
	}, nil
}

func (h *handler) keep(ctx context.Context, c tenantbooking.Call[Request]) (*booking.Draft, error) {
	draft, err := h.drafts.Get(ctx, c.Session, c.In.Draft)
	if err != nil {
		return nil, err
	}
	if err := draft.CheckHold(c.In.Quote, c.In.Total, draft.AsOf); err != nil {
		return nil, err
	}
	if draft.Holds(c.In.Quote) {
		return draft, nil
	}
	// No transaction is open during this call. If saving fails below, the hold expires by itself.
	hold, err := h.reservations.Hold(ctx, draft, h.limits.Quota(c.Visitor, c.Trace()))
	if err != nil {
		return nil, err
	}
	if !draft.AsOf.Before(hold.ExpiresAt) { // an interrupted attempt made this hold so long ago that it has expired
		return nil, booking.ErrHoldExpired
	}
	events, err := draft.SetHold(hold, c.Now)
	if err != nil {
		return nil, err
	}
	return draft, h.drafts.Save(ctx, draft, events...)
}
