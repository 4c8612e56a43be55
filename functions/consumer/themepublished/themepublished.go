// Package themepublished shows a hotel's new look at once.
package themepublished

import (
	"context"
	"time"

	"melmastoon.ghasi.io/functions/consumer"
	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
)

// Function hears melmastoon.theme.published.v1.
var Function = consumer.Event(fn.Spec{
	Name:    "consumer-themepublished",
	Subject: "melmastoon.theme.published.v1",
	Uses:    fn.Uses{fn.Documents},
	Timeout: 10 * time.Second,
}, New)

// A Published theme is the part of the event that is read here.
type Published struct {
	Tenant id.Tenant `json:"tenantId"`
}

// memory is what is kept of hotels.
type memory interface {
	Repainted(context.Context, id.Tenant) error
}

type handler struct{ hotels memory }

// New builds the function from what its Spec says it uses.
func New(e env.Env) (fn.Handle[Published], error) {
	return (&handler{consumer.OpenMemory(e)}).handle, nil
}

// handle needs no inbox: heard twice, the event costs one question more.
func (h *handler) handle(ctx context.Context, e event.Event[Published]) error {
	return h.hotels.Repainted(ctx, e.Payload.Tenant)
}
