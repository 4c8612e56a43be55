// Package themepublished invalidates the cached brand of a tenant that has published a theme.
package themepublished

import (
	"context"
	"time"

	"melmastoon.ghasi.io/functions/consumer"
	"melmastoon.ghasi.io/functions/consumer/internal/search"
	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
)

// Function consumes melmastoon.theme.published.v1.
var Function = consumer.Event(fn.Spec{
	Name:    "consumer-themepublished",
	Subject: "melmastoon.theme.published.v1",
	Uses:    fn.Uses{fn.Documents},
	Timeout: 10 * time.Second,
}, New)

// Published is the part of the event that this function reads.
type Published struct {
	Tenant id.Tenant `json:"tenantId"`
}

// invalidator invalidates cached brands.
type invalidator interface {
	InvalidateBrand(context.Context, id.Tenant) error
}

type handler struct{ hotels invalidator }

// New returns the handler with its stores and clients.
func New(e env.Env) (fn.Handle[Published], error) {
	return (&handler{search.OpenInvalidator(e)}).handle, nil
}

// handle needs no inbox: a duplicate event only causes one more fetch.
func (h *handler) handle(ctx context.Context, e event.Event[Published]) error {
	return h.hotels.InvalidateBrand(ctx, e.Payload.Tenant)
}
