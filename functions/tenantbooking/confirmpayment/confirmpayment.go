// Package confirmpayment asks whether a guest who comes back from the bank has paid, and if so confirms the booking.
package confirmpayment

import (
	"context"
	"errors"
	"time"

	"melmastoon.ghasi.io/functions/tenantbooking"
	"melmastoon.ghasi.io/shared/env"
	"melmastoon.ghasi.io/shared/fn"
	"melmastoon.ghasi.io/shared/id"
)

// Function answers POST /bff/tenant-booking/v1/{tenantSlug}/draft/{draftId}/return.
var Function = tenantbooking.HTTP(fn.Spec{
	Name:       "tenantbooking-confirmpayment",
	Route:      "POST " + tenantbooking.Base + "/draft/{draftId}/return",
	Uses:       fn.Uses{fn.Postgres, fn.Documents, fn.Upstream("reservation"), fn.Upstream("payment")},
	Emits:      fn.Emits{tenantbooking.DraftConvertedV1, tenantbooking.StepCompletedV1, tenantbooking.ErrorEncounteredV1},
	Idempotent: true,
	Timeout:    5 * time.Second,
}, New, tenantbooking.WhileSuspended)

// A Request names the draft. What became of the payment is asked of the payment service, never of the guest.
type Request struct {
	Draft id.Draft `path:"draftId"`
}

// patience is when a guest whose payment is under way may ask again: banks take seconds.
const patience = 2 * time.Second

// A Response is the confirmed booking, or one whose payment is still under way.
type Response struct {
	fn.Reply `json:"-"`
	tenantbooking.Outcome
}

type receiver struct {
	drafts        tenantbooking.Drafts
	settler       *tenantbooking.Settler
	confirmations tenantbooking.Confirmations
}

// New builds the function from what its Spec says it uses.
func New(e env.Env) (tenantbooking.Serve[Request, Response], error) {
	confirmations, err := tenantbooking.OpenConfirmations(e)
	return (&receiver{tenantbooking.OpenDrafts(e), tenantbooking.OpenSettler(e), confirmations}).receive, err
}

func (r *receiver) receive(ctx context.Context, c tenantbooking.Call[Request]) (out Response, err error) {
	var draft *tenantbooking.Draft
	err = tenantbooking.Again(ctx, func() error {
		if draft, err = r.drafts.Get(ctx, c.Session, c.In.Draft); err != nil {
			return err
		}
		return r.settler.Returned(ctx, draft)
	})
	if errors.Is(err, tenantbooking.ErrPending) {
		out.Reply, err = fn.Accepted.Reply().After(patience), nil
	}
	if err != nil {
		return out, err
	}
	out.Outcome, err = r.confirmations.Outcome(draft)
	return out, err
}
