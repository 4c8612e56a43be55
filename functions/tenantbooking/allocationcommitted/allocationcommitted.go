// Package allocationcommitted stops showing rooms that have just been taken.
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

// Function hears melmastoon.inventory.allocation.committed.v1.
var Function = tenantbooking.Event(fn.Spec{
	Name:    "tenantbooking-allocationcommitted",
	Subject: "melmastoon.inventory.allocation.committed.v1",
	Uses:    fn.Uses{fn.Documents},
	Timeout: 10 * time.Second,
}, New)

// Taken is the part of the event that is read here.
type Taken struct {
	Property id.Property `json:"propertyId"`
	Stay     stay.Window `json:"stayWindow"`
}

// forgetter makes what was composed before stale.
type forgetter interface {
	Invalidate(context.Context, ...cache.Epoch) error
}

type handler struct {
	generations forgetter
}

// New builds the function from what its Spec says it uses.
func New(e env.Env) (fn.Handle[Taken], error) {
	return (&handler{cache.OpenGenerations(e)}).handle, nil
}

// handle needs no inbox: heard twice, the event costs one composition more.
func (f *handler) handle(ctx context.Context, e event.Event[Taken]) error {
	if err := e.Payload.Stay.Validate(); err != nil {
		return fn.DeadLetter(err) // a stay that cannot be touches no month
	}
	return f.generations.Invalidate(ctx, cache.OfStay(*e.Delivery.Tenant, e.Payload.Property, e.Payload.Stay)...)
}
