// Package reallocaterooms exchanges the rooms of a reservation: all requested ones or none.
package reallocaterooms

import (
	"context"
	"time"

	"melmastoon.ghasi.io/functions/demo/sandbox"
	"melmastoon.ghasi.io/functions/demo/sandbox/internal/inventory"
	"melmastoon.ghasi.io/functions/demo/sandbox/internal/scenario"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
)

// Function serves POST /sandbox/inventory/v1/reallocations. The allocation ids make it idempotent.
var Function = sandbox.HTTP(fn.Spec{
	Name:      "sandbox-reallocaterooms",
	Route:     "POST /sandbox/inventory/v1/reallocations",
	Uses:      fn.Uses{fn.Postgres},
	Publishes: fn.Subjects{inventory.AllocationCommittedV1},
	Timeout:   2 * time.Second,
}, New)

// A Request names the rooms to release and the rooms to take. The caller chooses the ids of the new allocations.
type Request = inventory.Reallocation

// A Response is the time of the decision.
type Response struct {
	ReallocatedAt time.Time `json:"reallocatedAt"`
}

// New returns the handler with its stores and clients.
func New(e env.Env) (fn.Serve[Request, Response], error) {
	rooms := inventory.Open(e)
	return func(ctx context.Context, c fn.Call[Request]) (Response, error) {
		if len(c.In.Allocations) > 0 && scenario.Requested(c.Header, scenario.SoldOut) {
			return Response{}, inventory.ErrSoldOut // no decision is stored, so the same ids can succeed later
		}
		at, err := rooms.Reallocate(ctx, c.In)
		return Response{at}, err
	}, nil
}
