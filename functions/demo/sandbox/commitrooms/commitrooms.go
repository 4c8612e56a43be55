// Package commitrooms makes held rooms permanent.
package commitrooms

import (
	"context"
	"time"

	"melmastoon.ghasi.io/functions/demo/sandbox"
	"melmastoon.ghasi.io/functions/demo/sandbox/internal/inventory"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
)

// Function serves POST /sandbox/inventory/v1/commits.
var Function = sandbox.HTTP(fn.Spec{
	Name:    "sandbox-commitrooms",
	Route:   "POST /sandbox/inventory/v1/commits",
	Uses:    fn.Uses{fn.Postgres},
	Timeout: 2 * time.Second,
}, New)

// A Request names the allocations. Either all are committed or none.
type Request struct {
	Tenant      id.Tenant       `json:"tenantId"`
	Allocations []id.Allocation `json:"allocationIds"`
}

// Validate rejects a list that is empty, too long or has duplicates.
func (r *Request) Validate() error { return inventory.ValidateAllocations(r.Allocations) }

// A Response is the time of the commit.
type Response struct {
	CommittedAt time.Time `json:"committedAt"`
}

// New returns the handler with its stores and clients.
func New(e env.Env) (fn.Serve[Request, Response], error) {
	rooms := inventory.Open(e)
	return func(ctx context.Context, c fn.Call[Request]) (Response, error) {
		at, err := rooms.Commit(ctx, c.In.Tenant, c.In.Allocations)
		return Response{at}, err
	}, nil
}
