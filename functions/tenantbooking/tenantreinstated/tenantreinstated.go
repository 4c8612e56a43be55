// Package tenantreinstated reopens the site of a tenant that was suspended.
package tenantreinstated

import (
	"context"
	"time"

	"melmastoon.ghasi.io/functions/tenantbooking"
	"melmastoon.ghasi.io/functions/tenantbooking/internal/hotel"
	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/cache"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
)

// Function consumes melmastoon.tenant.reinstated.v1.
var Function = tenantbooking.Event(fn.Spec{
	Name:    "tenantbooking-tenantreinstated",
	Subject: "melmastoon.tenant.reinstated.v1",
	Uses:    fn.Uses{fn.Documents},
	Timeout: 10 * time.Second,
}, New)

// Reinstated is the event's payload. Only the envelope is read.
type Reinstated struct{}

// directory is the part of the tenant cache that this function uses.
type directory interface {
	SetStatus(ctx context.Context, tenant id.Tenant, suspended bool, since time.Time) error
}

// forgetter invalidates cached values by their epochs.
type forgetter interface {
	Invalidate(context.Context, ...cache.Epoch) error
}

type handler struct {
	tenants directory
	epochs  forgetter
}

// New returns the act with the dependencies that its Spec lists.
func New(e env.Env) (fn.Handle[Reinstated], error) {
	return (&handler{hotel.OpenTenants(e), cache.OpenEpochs(e)}).handle, nil
}

// handle needs no inbox: the time of the event decides which of two is newer, so repeated deliveries have no effect.
func (f *handler) handle(ctx context.Context, e event.Event[Reinstated]) error {
	tenant := *e.Delivery.Tenant
	if err := f.tenants.SetStatus(ctx, tenant, false, e.Envelope.OccurredAt); err != nil {
		return err
	}
	return f.epochs.Invalidate(ctx, cache.OfTenant(tenant))
}
