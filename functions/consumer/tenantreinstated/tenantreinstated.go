// Package tenantreinstated shows the hotels of a reinstated tenant again.
package tenantreinstated

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

// Function consumes melmastoon.tenant.reinstated.v1.
var Function = consumer.Event(fn.Spec{
	Name:     "consumer-tenantreinstated",
	Subject:  "melmastoon.tenant.reinstated.v1",
	Uses:     fn.Uses{fn.Documents},
	Attempts: 10,
	Timeout:  10 * time.Second,
}, New)

// Reinstated is the part of the event that this function reads.
type Reinstated struct {
	Tenant id.Tenant `json:"tenantId"`
}

// invalidator records the status of tenants and invalidates cached data about hotels.
type invalidator interface {
	ApplyStatus(ctx context.Context, tenant id.Tenant, suspended bool, since time.Time) error
}

type handler struct{ hotels invalidator }

// New returns the handler with its stores and clients.
func New(e env.Env) (fn.Handle[Reinstated], error) {
	return (&handler{search.OpenInvalidator(e)}).handle, nil
}

// handle needs no inbox: OccurredAt decides the order of events, so duplicates and reordering are harmless.
func (h *handler) handle(ctx context.Context, e event.Event[Reinstated]) error {
	return h.hotels.ApplyStatus(ctx, e.Payload.Tenant, false, e.Envelope.OccurredAt)
}
