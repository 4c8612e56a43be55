// Package change changes a confirmed booking for its guest.
//
// Dates, guest and special request are one route (decision 216), because a load balancer has few backend services. A
// change of dates is possible while cancelling is free. The details of the guest are replaced as a whole and are in no
// answer, because everyone with the link can read the page.
package change

import (
	"context"
	"time"

	"melmastoon.ghasi.io/functions/tenantbooking"
	"melmastoon.ghasi.io/functions/tenantbooking/internal/booking"
	"melmastoon.ghasi.io/functions/tenantbooking/internal/hotel"
	"melmastoon.ghasi.io/functions/tenantbooking/internal/subject"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
)

// Function serves PATCH /bff/tenant-booking/v1/{tenantSlug}/confirmation/{reservationId}.
var Function = tenantbooking.HTTP(fn.Spec{
	Name:       "tenantbooking-change",
	Route:      "PATCH " + tenantbooking.Base + "/confirmation/{reservationId}",
	Uses:       fn.Uses{fn.Postgres, fn.Documents, fn.Upstream("property"), fn.Upstream("reservation")},
	Publishes:  fn.Subjects{subject.ErrorEncounteredV1},
	Idempotent: true,
	Timeout:    5 * time.Second,
}, New, tenantbooking.WithoutSession, tenantbooking.WithViewToken)

// A Request names the reservation and one change. A client without the session that made the booking needs the token.
type Request struct {
	Reservation id.Reservation          `path:"reservationId" json:"-"`
	Token       fn.Maybe[string]        `query:"t" json:"-"`
	Stay        *hotel.Stay             `json:"stayWindow,omitzero"`
	Total       *money.Minor            `json:"total,omitzero"` // with Stay: the price that the guest was shown
	DryRun      bool                    `json:"dryRun,omitzero"`
	Special     *booking.SpecialRequest `json:"specialRequest,omitzero"`
	Guest       *booking.Guest          `json:"guest,omitzero"`
}

func (r Request) change() booking.Change {
	return booking.Change{Stay: r.Stay, Total: r.Total, DryRun: r.DryRun, Special: r.Special, Guest: r.Guest}
}

// Validate returns an error unless there is exactly one valid change.
func (r Request) Validate() error { return r.change().Validate() }

// A Response is the confirmation of the changed booking.
type Response struct {
	booking.Confirmation
	booking.PriceChange
	DryRun bool `json:"dryRun,omitzero"`
}

type handler struct {
	service       booking.Changer
	confirmations booking.Confirmations
}

// New returns the handler with its stores and clients.
func New(e env.Env) (tenantbooking.Serve[Request, Response], error) {
	confirmations, err := booking.OpenConfirmations(e)
	return (&handler{booking.OpenChanger(e), confirmations}).change, err
}

// change makes the change. Dates that the booking has already, or that wait for their payment, are not changed again: the
// guest may have changed them in another window, or may not have received the response.
func (h *handler) change(ctx context.Context, c tenantbooking.Call[Request]) (out Response, err error) {
	access := booking.Access{Reservation: c.In.Reservation, Token: c.In.Token.Or("")}
	r, err := h.confirmations.Open(ctx, c.Visitor, access, c.Now, func(ctx context.Context) (booking.Reservation, error) {
		return h.service.GetBooked(ctx, c.Tenant.ID, c.In.Reservation)
	})
	if err != nil {
		return out, err
	}
	key := id.Derive[id.Request](c.Act, "change").String()
	switch to := c.In.Stay; {
	case to != nil && r.Confirmed() && (to.Window() == r.Stay || r.Pending != nil && to.Window() == r.Pending.Stay):
	case to != nil:
		r, out.PriceChange, err = h.service.ChangeDates(ctx, c.Tenant, r, c.In.change(), c.Now, key)
	case c.In.Special != nil:
		r, err = h.service.Ask(ctx, r, *c.In.Special, c.Locale, key)
	default:
		err = h.service.Rename(ctx, r, *c.In.Guest, c.Locale, key)
	}
	if err != nil {
		return out, err
	}
	out.DryRun = c.In.DryRun
	out.Confirmation, err = h.confirmations.View(r)
	return out, err
}
