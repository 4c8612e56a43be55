// Package holdrooms holds rooms for a limited time: all requested ones or none.
package holdrooms

import (
	"context"
	"fmt"
	"time"

	"melmastoon.ghasi.io/functions/demo/sandbox"
	"melmastoon.ghasi.io/functions/demo/sandbox/internal/inventory"
	"melmastoon.ghasi.io/functions/demo/sandbox/internal/scenario"
	"melmastoon.ghasi.io/functions/demo/sandbox/internal/standin"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
	"melmastoon.ghasi.io/shared/stay"
)

// Function serves POST /sandbox/inventory/v1/holds. The allocation ids make it idempotent.
var Function = sandbox.HTTP(fn.Spec{
	Name:      "sandbox-holdrooms",
	Route:     "POST /sandbox/inventory/v1/holds",
	Answer:    fn.Created,
	Uses:      fn.Uses{fn.Postgres},
	Publishes: fn.Subjects{inventory.AllocationCommittedV1, inventory.AllocationFailedV1},
	Timeout:   2 * time.Second,
}, New)

// A Request names the rooms, the reservation, the duration and the held rooms to replace. The caller chooses the allocation ids.
type Request struct {
	Tenant      id.Tenant         `json:"tenantId"`
	Property    id.Property       `json:"propertyId"`
	Reservation id.Reservation    `json:"reservationId"`
	Stay        stay.Window       `json:"stayWindow"`
	TTLSeconds  int               `json:"ttlSeconds"`
	Allocations []inventory.Claim `json:"allocations"`
	Replaces    []id.Allocation   `json:"replaces,omitzero"`
}

// Validate rejects an impossible stay, number of rooms or duration.
func (r *Request) Validate() error {
	if err := r.Stay.Validate(); err != nil {
		return standin.Refuse("/stayWindow", "stay", err.Error())
	}
	if err := standin.ValidateHold(r.TTLSeconds); err != nil {
		return standin.Refuse("/ttlSeconds", "range", err.Error())
	}
	if len(r.Allocations) == 0 || len(r.Allocations) > stay.MaxRooms {
		return standin.Refuse("/allocations", "count", fmt.Sprintf("Must list 1 to %d allocations.", stay.MaxRooms))
	}
	seen := map[id.Allocation]bool{}
	for _, a := range r.Allocations {
		if a.Units < 1 || a.Units > inventory.MaxUnits || seen[a.Allocation] {
			return standin.Refuse("/allocations", "claim", "An allocation has an id of its own and 1 to 100 units.")
		}
		seen[a.Allocation] = true
	}
	for n, a := range r.Replaces {
		if n >= inventory.MaxAllocations || seen[a] {
			return standin.Refuse("/replaces", "list", "Must list at most 100 allocations, each once, and none of the new ones.")
		}
		seen[a] = true
	}
	return nil
}

// A Response is the start and the expiry of the hold.
type Response = inventory.HoldResult

type handler struct {
	inventory inventory.Inventory
}

// New returns the handler with its stores and clients.
func New(e env.Env) (fn.Serve[Request, Response], error) {
	return (&handler{inventory.Open(e)}).hold, nil
}

func (h *handler) hold(ctx context.Context, c fn.Call[Request]) (Response, error) {
	if scenario.Requested(c.Header, scenario.SoldOut) {
		return Response{}, inventory.ErrSoldOut // no decision is stored, so the same ids can succeed later
	}
	ttl := time.Duration(c.In.TTLSeconds) * time.Second
	if scenario.Requested(c.Header, scenario.HoldExpired) {
		ttl = time.Second
	}
	return h.inventory.Hold(ctx, inventory.Hold{
		Tenant: c.In.Tenant, Property: c.In.Property, Reservation: c.In.Reservation, Stay: c.In.Stay,
		TTL: ttl, Claims: c.In.Allocations, Replaces: c.In.Replaces,
	})
}
