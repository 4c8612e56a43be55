// Package confirmcash confirms a booking that is paid in cash on arrival.
package confirmcash

import (
	"context"
	"time"

	"melmastoon.ghasi.io/functions/tenantbooking"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
)

// Function answers POST /bff/tenant-booking/v1/{tenantSlug}/draft/{draftId}/confirm.
var Function = tenantbooking.HTTP(fn.Spec{
	Name:       "tenantbooking-confirmcash",
	Route:      "POST " + tenantbooking.Base + "/draft/{draftId}/confirm",
	Uses:       fn.Uses{fn.Postgres, fn.Documents, fn.Upstream("reservation"), fn.Upstream("payment")},
	Publishes:  fn.Subjects{tenantbooking.DraftConvertedV1, tenantbooking.StepCompletedV1, tenantbooking.ErrorEncounteredV1},
	Idempotent: true,
	Timeout:    5 * time.Second,
}, New, tenantbooking.WhileSuspended)

// A Request names the draft.
type Request struct {
	Draft id.Draft `path:"draftId"`
}

type confirmer struct {
	drafts        tenantbooking.Drafts
	settler       *tenantbooking.Settler
	confirmations tenantbooking.Confirmations
}

// New returns the act with the dependencies that its Spec lists.
func New(e env.Env) (tenantbooking.Serve[Request, tenantbooking.Outcome], error) {
	confirmations, err := tenantbooking.OpenConfirmations(e)
	return (&confirmer{
		drafts:        tenantbooking.OpenDrafts(e),
		settler:       tenantbooking.OpenSettler(e),
		confirmations: confirmations,
	}).confirm, err
}

func (f *confirmer) confirm(ctx context.Context, c tenantbooking.Call[Request]) (out tenantbooking.Outcome, err error) {
	var draft *tenantbooking.Draft
	err = tenantbooking.Again(ctx, func() error {
		if draft, err = f.drafts.Get(ctx, c.Session, c.In.Draft); err != nil {
			return err
		}
		return f.settler.Accepted(ctx, draft)
	})
	if err != nil {
		return out, err
	}
	return f.confirmations.Outcome(draft)
}
