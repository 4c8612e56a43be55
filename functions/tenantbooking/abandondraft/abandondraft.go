// Package abandondraft ends a booking that its guest abandons.
package abandondraft

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

// Function serves DELETE /bff/tenant-booking/v1/{tenantSlug}/draft/{draftId}.
var Function = tenantbooking.HTTP(fn.Spec{
	Name:       "tenantbooking-abandondraft",
	Route:      "DELETE " + tenantbooking.Base + "/draft/{draftId}",
	Siblings:   []string{"GET", "PATCH"},
	Answer:     fn.NoContent,
	Uses:       fn.Uses{fn.Postgres, fn.Documents, fn.Upstream("reservation"), fn.Upstream("payment")},
	Publishes:  fn.Subjects{subject.DraftAbandonedV1, subject.DraftConvertedV1, subject.StepCompletedV1, subject.ErrorEncounteredV1},
	Idempotent: true,
	Timeout:    5 * time.Second,
}, New, tenantbooking.WhileSuspended)

// A Request names the draft.
type Request struct {
	Draft id.Draft `path:"draftId"`
}

type handler struct {
	drafts  booking.Drafts
	settler *booking.Settler
}

// New returns the handler with its stores and clients.
func New(e env.Env) (tenantbooking.Serve[Request, fn.Nothing], error) {
	return (&handler{booking.OpenDrafts(e), booking.OpenSettler(e)}).abandon, nil
}

func (h *handler) abandon(ctx context.Context, c tenantbooking.Call[Request]) (out fn.Nothing, err error) {
	return booking.Again(ctx, func() (fn.Nothing, error) {
		draft, err := h.drafts.Get(ctx, c.Session, c.In.Draft)
		if err != nil {
			return out, err
		}
		return out, h.settler.Abandon(ctx, draft)
	})
}
