// Package releaserooms releases held or committed rooms.
package releaserooms

import (
	"context"
	"time"

	"melmastoon.ghasi.io/functions/demo/sandbox"
	"melmastoon.ghasi.io/functions/demo/sandbox/internal/inventory"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
	"melmastoon.ghasi.io/shared/platform/postgres"
)

// Function serves POST /sandbox/inventory/v1/releases.
var Function = sandbox.HTTP(fn.Spec{
	Name:    "sandbox-releaserooms",
	Route:   "POST /sandbox/inventory/v1/releases",
	Answer:  fn.NoContent,
	Uses:    fn.Uses{fn.Postgres},
	Timeout: 2 * time.Second,
}, New)

// A Request names the allocations. Allocations that are unknown or already released are ignored.
type Request struct {
	Tenant      id.Tenant       `json:"tenantId"`
	Allocations []id.Allocation `json:"allocationIds"`
}

// Validate rejects a list that is empty, too long or has duplicates.
func (r *Request) Validate() error { return inventory.ValidateAllocations(r.Allocations) }

// New returns the handler with its stores and clients.
func New(e env.Env) (fn.Serve[Request, fn.Nothing], error) {
	rooms := inventory.Open(e)
	return func(ctx context.Context, c fn.Call[Request]) (fn.Nothing, error) {
		return fn.Nothing{}, rooms.DB.InTenant(ctx, c.In.Tenant, func(tx postgres.Tx) error {
			return rooms.Release(ctx, tx, c.In.Allocations)
		})
	}, nil
}
