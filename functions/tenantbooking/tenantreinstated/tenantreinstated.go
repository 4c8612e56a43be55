// Package tenantreinstated opens the site of a hotel that was suspended again.
package tenantreinstated

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

// Function hears melmastoon.tenant.reinstated.v1.
var Function = tenantbooking.Event(fn.Spec{
	Name:    "tenantbooking-tenantreinstated",
	Subject: "melmastoon.tenant.reinstated.v1",
	Uses:    fn.Uses{fn.Documents},
	Timeout: 10 * time.Second,
}, New)

// Reinstated is told of the tenant: nothing of the event but its envelope is read.
type Reinstated struct{}

// directory is where it is noted how hotels stand.
type directory interface {
	Apply(ctx context.Context, tenant id.Tenant, suspended bool, since time.Time) error
}

// forgetter makes what was composed before stale.
type forgetter interface {
	Invalidate(context.Context, ...cache.Epoch) error
}

type handler struct {
	tenants     directory
	generations forgetter
}

// New builds the function from what its Spec says it uses.
func New(e env.Env) (fn.Handle[Reinstated], error) {
	return (&handler{tenantbooking.OpenTenants(e), cache.OpenGenerations(e)}).handle, nil
}

// handle needs no inbox: which of two events came later is told by when they occurred, however often each is heard.
func (f *handler) handle(ctx context.Context, e event.Event[Reinstated]) error {
	tenant := *e.Delivery.Tenant
	if err := f.tenants.Apply(ctx, tenant, false, e.Envelope.OccurredAt); err != nil {
		return err
	}
	return f.generations.Invalidate(ctx, cache.OfTenant(tenant))
}
