// Package allocationcommitted invalidates the cached room counts of a property after an allocation.
package allocationcommitted

import (
	"context"
	"time"

	"melmastoon.ghasi.io/functions/tenantbooking"
	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/cache"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
	"melmastoon.ghasi.io/shared/stay"
)

// Function consumes melmastoon.inventory.allocation.committed.v1.
var Function = tenantbooking.Event(fn.Spec{
	Name:    "tenantbooking-allocationcommitted",
	Subject: "melmastoon.inventory.allocation.committed.v1",
	Uses:    fn.Uses{fn.Documents},
	Timeout: 10 * time.Second,
}, New)

// Taken holds the members of the event that this function reads.
type Taken struct {
	Property id.Property `json:"propertyId"`
	Stay     stay.Window `json:"stayWindow"`
}

// forgetter invalidates cached values by their epochs.
type forgetter interface {
	Invalidate(context.Context, ...cache.Epoch) error
}

type handler struct {
	epochs forgetter
}

// New returns the act with the dependencies that its Spec lists.
func New(e env.Env) (fn.Handle[Taken], error) {
	return (&handler{cache.OpenEpochs(e)}).handle, nil
}

// handle needs no inbox: a repeated delivery only causes one more cache miss.
func (f *handler) handle(ctx context.Context, e event.Event[Taken]) error {
	if err := e.Payload.Stay.Validate(); err != nil {
		return fn.DeadLetter(err) // an invalid stay affects no month
	}
	return f.epochs.Invalidate(ctx, cache.OfStay(*e.Delivery.Tenant, e.Payload.Property, e.Payload.Stay)...)
}
