// Package confirmpayment confirms a booking when its guest returns from the payment provider and has paid.
package confirmpayment

import (
	"context"
	"errors"
	"time"

	"melmastoon.ghasi.io/functions/tenantbooking"
	"melmastoon.ghasi.io/functions/tenantbooking/internal/booking"
	"melmastoon.ghasi.io/functions/tenantbooking/internal/subject"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
)

// Function serves POST /bff/tenant-booking/v1/{tenantSlug}/draft/{draftId}/return.
var Function = tenantbooking.HTTP(fn.Spec{
	Name:       "tenantbooking-confirmpayment",
	Route:      "POST " + tenantbooking.Base + "/draft/{draftId}/return",
	Uses:       fn.Uses{fn.Postgres, fn.Documents, fn.Upstream("reservation"), fn.Upstream("payment")},
	Publishes:  fn.Subjects{subject.DraftConvertedV1, subject.StepCompletedV1, subject.ErrorEncounteredV1},
	Idempotent: true,
	Timeout:    5 * time.Second,
}, New, tenantbooking.WithoutSession, tenantbooking.WhileSuspended)

// A Request names the draft. The payment's state is read from the payment service, never from the request.
type Request struct {
	Draft id.Draft         `path:"draftId"`
	Link  fn.Maybe[string] `query:"r"` // token of the return URL, for a guest who returns in another browser
}

const timeout = 2 * time.Second // Retry-After while a payment is pending: banks take seconds

// A Response is the confirmed booking, or a booking whose payment is pending.
type Response struct {
	fn.Reply `json:"-"`
	booking.Outcome
}

type handler struct {
	drafts        booking.Drafts
	settler       *booking.Settler
	confirmations booking.Confirmations
	site          booking.Site
}

// New returns the handler with its stores and clients.
func New(e env.Env) (tenantbooking.Serve[Request, Response], error) {
	confirmations, err := booking.OpenConfirmations(e)
	if err != nil {
		return nil, err
	}
	site, err := booking.OpenSite(e)
	return (&handler{
		drafts: booking.OpenDrafts(e), settler: booking.OpenSettler(e),
		confirmations: confirmations, site: site,
	}).receive, err
}

func (h *handler) receive(ctx context.Context, c tenantbooking.Call[Request]) (out Response, err error) {
	draft, err := booking.Again(ctx, func() (*booking.Draft, error) {
		draft, err := h.find(ctx, c)
		if err != nil {
			return nil, err
		}
		return draft, h.settler.Returned(ctx, draft)
	})
	pending, isPending := errors.AsType[*booking.PendingError](err)
	if err != nil && !isPending {
		return out, err
	}
	out.Outcome, err = h.confirmations.Outcome(draft)
	if isPending {
		out.Reply, out.Pending = fn.Accepted.Reply().After(timeout), pending.View()
	}
	if draft.Session != c.Session.ID {
		out.Reservation, out.Secret = nil, ""
	}
	return out, err
}

// find returns the draft of the session, or else the one that the return link opens. It reads another session's draft only with a valid
// link: an error of the call is recorded in the draft that the call has read.
func (h *handler) find(ctx context.Context, c tenantbooking.Call[Request]) (*booking.Draft, error) {
	link, linked := c.In.Link.Get()
	if !c.Session.ID.IsZero() {
		draft, err := h.drafts.Get(ctx, c.Session, c.In.Draft)
		if !linked || !errors.Is(err, booking.ErrNotFound) {
			return draft, err
		}
	} else if !linked {
		return nil, tenantbooking.ErrNoSession
	}
	opened, valid := h.site.ReturnLinkOf(link, c.Tenant.ID, c.In.Draft, c.Now)
	if !valid {
		return nil, booking.ErrNotFound
	}
	return h.drafts.Linked(ctx, c.Tenant.ID, c.In.Draft, opened)
}
