// Package themepublished invalidates the cached theme of a tenant.
package themepublished

import (
	"context"
	"time"

	"melmastoon.ghasi.io/functions/tenantbooking"
	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/platform/cache"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
)

// Function consumes melmastoon.theme.published.v1.
var Function = tenantbooking.Event(fn.Spec{
	Name:    "tenantbooking-themepublished",
	Subject: "melmastoon.theme.published.v1",
	Uses:    fn.Uses{fn.Documents},
	Timeout: 10 * time.Second,
}, New)

// A Published is the event's payload, of which nothing is read.
type Published struct{}

// forgetter invalidates cached values by their epochs.
type forgetter interface {
	Invalidate(context.Context, ...cache.Epoch) error
}

type handler struct {
	epochs forgetter
}

// New returns the act with the dependencies that its Spec lists.
func New(e env.Env) (fn.Handle[Published], error) {
	return (&handler{cache.OpenEpochs(e)}).handle, nil
}

// handle needs no inbox: a repeated delivery only causes one more cache miss.
func (f *handler) handle(ctx context.Context, e event.Event[Published]) error {
	return f.epochs.Invalidate(ctx, cache.OfTenant(*e.Delivery.Tenant))
}
