// Package tenantreinstated shows the hotels of a company that was suspended again.
package tenantreinstated

import (
	"context"
	"time"

	"melmastoon.ghasi.io/functions/consumer"
	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
)

// Function hears melmastoon.tenant.reinstated.v1.
var Function = consumer.Event(fn.Spec{
	Name:     "consumer-tenantreinstated",
	Subject:  "melmastoon.tenant.reinstated.v1",
	Uses:     fn.Uses{fn.Documents},
	Attempts: 10,
	Timeout:  10 * time.Second,
}, New)

// Reinstated is the part of the event that is read here.
type Reinstated struct {
	Tenant id.Tenant `json:"tenantId"`
}

// memory is what is kept of hotels, and how it was heard that they stand.
type memory interface {
	Stands(ctx context.Context, tenant id.Tenant, suspended bool, since time.Time) error
}

type handler struct{ hotels memory }

// New builds the function from what its Spec says it uses.
func New(e env.Env) (fn.Handle[Reinstated], error) {
	return (&handler{consumer.OpenMemory(e)}).handle, nil
}

// handle needs no inbox: which of two events came later is told by when they occurred, however often each is heard.
func (h *handler) handle(ctx context.Context, e event.Event[Reinstated]) error {
	return h.hotels.Stands(ctx, e.Payload.Tenant, false, e.Envelope.OccurredAt)
}
