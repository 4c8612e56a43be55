// Package rateplanpublished shows a house's new prices at once.
package rateplanpublished

import (
	"context"
	"time"

	"melmastoon.ghasi.io/functions/tenantbooking"
	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/cache"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
)

// Function hears melmastoon.pricing.rate_plan.published.v1.
var Function = tenantbooking.Event(fn.Spec{
	Name:    "tenantbooking-rateplanpublished",
	Subject: "melmastoon.pricing.rate_plan.published.v1",
	Uses:    fn.Uses{fn.Documents},
	Timeout: 10 * time.Second,
}, New)

// Published is the part of the event that is read here.
type Published struct {
	Property id.Property `json:"propertyId"`
}

// forgetter makes what was composed before stale.
type forgetter interface {
	Invalidate(context.Context, ...cache.Epoch) error
}

type handler struct {
	generations forgetter
}

// New builds the function from what its Spec says it uses.
func New(e env.Env) (fn.Handle[Published], error) {
	return (&handler{cache.OpenGenerations(e)}).handle, nil
}

// handle needs no inbox: heard twice, the event costs one composition more.
func (f *handler) handle(ctx context.Context, e event.Event[Published]) error {
	return f.generations.Invalidate(ctx, cache.OfProperty(*e.Delivery.Tenant, e.Payload.Property))
}
