// Package readdraft serves the current state of a draft.
package readdraft

import (
	"context"
	"time"

	"melmastoon.ghasi.io/functions/tenantbooking"
	"melmastoon.ghasi.io/functions/tenantbooking/internal/booking"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
)

// Function serves GET /bff/tenant-booking/v1/{tenantSlug}/draft/{draftId}.
var Function = tenantbooking.HTTP(fn.Spec{
	Name:    "tenantbooking-readdraft",
	Route:   "GET " + tenantbooking.Base + "/draft/{draftId}",
	Uses:    fn.Uses{fn.Postgres, fn.Documents},
	Timeout: time.Second,
}, New, tenantbooking.WhileSuspended)

// A Request names the draft.
type Request struct {
	Draft id.Draft `path:"draftId"`
}

// A Response is the draft. Its version is the ETag for conditional changes.
type Response struct {
	fn.Reply `json:"-"`
	booking.View
}

type handler struct {
	drafts booking.Drafts
}

// New returns the handler with its stores and clients.
func New(e env.Env) (tenantbooking.Serve[Request, Response], error) {
	return (&handler{booking.OpenDrafts(e)}).read, nil
}

func (h *handler) read(ctx context.Context, c tenantbooking.Call[Request]) (Response, error) {
	draft, err := h.drafts.Get(ctx, c.Session, c.In.Draft)
	if err != nil {
		return Response{}, err
	}
	return Response{draft.Reply(), draft.View()}, nil
}
