// Package tenantsuspended closes the site of a hotel that was suspended.
package tenantsuspended

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

// Function hears melmastoon.tenant.suspended.v1.
var Function = tenantbooking.Event(fn.Spec{
	Name:    "tenantbooking-tenantsuspended",
	Subject: "melmastoon.tenant.suspended.v1",
	Uses:    fn.Uses{fn.Documents},
	Timeout: 10 * time.Second,
}, New)

// Suspended is told of the tenant: nothing of the event but its envelope is read.
type Suspended struct{}

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
func New(e env.Env) (fn.Handle[Suspended], error) {
	return (&handler{tenantbooking.OpenTenants(e), cache.OpenGenerations(e)}).handle, nil
}

// handle needs no inbox: which of two events came later is told by when they occurred, however often each is heard.
func (f *handler) handle(ctx context.Context, e event.Event[Suspended]) error {
	tenant := *e.Delivery.Tenant
	if err := f.tenants.Apply(ctx, tenant, true, e.Envelope.OccurredAt); err != nil {
		return err
	}
	return f.generations.Invalidate(ctx, cache.OfTenant(tenant))
}
