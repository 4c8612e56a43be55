// Package confirmcash confirms a booking that is paid in cash on arrival.
package confirmcash

import (
	"context"
	"time"

	"melmastoon.ghasi.io/functions/tenantbooking"
	"melmastoon.ghasi.io/functions/tenantbooking/internal/booking"
	"melmastoon.ghasi.io/functions/tenantbooking/internal/subject"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
)

// Function serves POST /bff/tenant-booking/v1/{tenantSlug}/draft/{draftId}/confirm.
var Function = tenantbooking.HTTP(fn.Spec{
	Name:       "tenantbooking-confirmcash",
	Route:      "POST " + tenantbooking.Base + "/draft/{draftId}/confirm",
	Uses:       fn.Uses{fn.Postgres, fn.Documents, fn.Upstream("reservation"), fn.Upstream("payment")},
	Publishes:  fn.Subjects{subject.DraftConvertedV1, subject.StepCompletedV1, subject.ErrorEncounteredV1},
	Idempotent: true,
	Timeout:    5 * time.Second,
}, New, tenantbooking.WhileSuspended)

// A Request names the draft.
type Request struct {
	Draft id.Draft `path:"draftId"`
}

type handler struct {
	drafts        booking.Drafts
	settler       *booking.Settler
	confirmations booking.Confirmations
}

// New returns the handler with its stores and clients.
func New(e env.Env) (tenantbooking.Serve[Request, booking.Outcome], error) {
	confirmations, err := booking.OpenConfirmations(e)
	return (&handler{
		drafts:        booking.OpenDrafts(e),
		settler:       booking.OpenSettler(e),
		confirmations: confirmations,
	}).confirm, err
}

func (h *handler) confirm(ctx context.Context, c tenantbooking.Call[Request]) (out booking.Outcome, err error) {
	draft, err := booking.Again(ctx, func() (*booking.Draft, error) {
		draft, err := h.drafts.Get(ctx, c.Session, c.In.Draft)
		if err != nil {
			return nil, err
		}
		return draft, h.settler.Accepted(ctx, draft)
	})
	if err != nil {
		return out, err
	}
	return h.confirmations.Outcome(draft)
}
