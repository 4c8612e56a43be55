// Package configupdated shows what a hotel has changed about itself at once.
package configupdated

import (
	"context"
	"time"

	"melmastoon.ghasi.io/functions/tenantbooking"
	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/platform/cache"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
)

// Function hears melmastoon.tenant.config_updated.v1.
var Function = tenantbooking.Event(fn.Spec{
	Name:    "tenantbooking-configupdated",
	Subject: "melmastoon.tenant.config_updated.v1",
	Uses:    fn.Uses{fn.Documents},
	Timeout: 10 * time.Second,
}, New)

// Updated is the tenant's configuration: nothing of the event itself is read.
type Updated struct{}

// forgetter makes what was composed before stale.
type forgetter interface {
	Invalidate(context.Context, ...cache.Epoch) error
}

type handler struct {
	generations forgetter
}

// New builds the function from what its Spec says it uses.
func New(e env.Env) (fn.Handle[Updated], error) {
	return (&handler{cache.OpenGenerations(e)}).handle, nil
}

// handle needs no inbox: heard twice, the event costs one composition more.
func (f *handler) handle(ctx context.Context, e event.Event[Updated]) error {
	return f.generations.Invalidate(ctx, cache.OfTenant(*e.Delivery.Tenant))
}
