package platform

import (
	"context"
	"fmt"
	"time"

	"melmastoon.ghasi.io/functions/reservation/internal/booking"
	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/upstream"
	"melmastoon.ghasi.io/shared/stay"
)

// Inventory is a client of the inventory service, which alone counts rooms. All calls are idempotent by their
// allocation ids.
type Inventory struct{ client *upstream.Client }

// OpenInventory opens the client.
func OpenInventory(e env.Env) Inventory {
	return Inventory{upstream.Open(e, "inventory", upstream.Policy{Timeout: time.Second, Retries: 1})}
}

// Hold holds one room for each item of the reservation. It returns ErrOverbooked if not all rooms are available, and
// ErrHoldExpired if these allocations were held before and have expired. Held rooms that it replaces count as free, and are released
// with it.
func (i Inventory) Hold(ctx context.Context, r *booking.Reservation, h booking.Hold) (p booking.HoldResult, err error) {
	type allocation struct {
		ID       id.Allocation `json:"allocationId"`
		RoomType id.RoomType   `json:"roomTypeId"`
		Units    int           `json:"units"`
	}
	in := struct {
		Tenant      id.Tenant       `json:"tenantId"`
		Property    id.Property     `json:"propertyId"`
		Reservation id.Reservation  `json:"reservationId"`
		Stay        stay.Window     `json:"stayWindow"`
		TTL         int             `json:"ttlSeconds"`
		Allocations []allocation    `json:"allocations"`
		Replaces    []id.Allocation `json:"replaces,omitempty"`
	}{r.Tenant, r.Property, r.ID, r.Stay, h.TTL, nil, h.Replaces}
	for n, item := range r.Items {
		in.Allocations = append(in.Allocations, allocation{ID: h.Allocations[n], RoomType: item.RoomType, Units: 1})
	}
	if err := i.client.Post(ctx, "/holds", in, &p, upstream.Tenant(r.Tenant), upstream.Repeatable()); err != nil {
		return booking.HoldResult{}, fmt.Errorf("inventory: hold for %s: %w", r.ID, err)
	}
	if p.PlacedAt.IsZero() || p.ExpiresAt.IsZero() {
		return booking.HoldResult{}, fault.ErrUpstreamUnavailable.Because(fmt.Errorf("inventory: hold for %s: incomplete", r.ID))
	}
	return p, nil
}

type allocations struct {
	Tenant id.Tenant       `json:"tenantId"`
	IDs    []id.Allocation `json:"allocationIds"`
}

// Commit makes held rooms permanent. It returns ErrHoldExpired, and commits no room, if any allocation has expired.
func (i Inventory) Commit(ctx context.Context, r *booking.Reservation, h booking.Hold) error {
	var out struct {
		CommittedAt time.Time `json:"committedAt"`
	}
	if err := i.client.Post(ctx, "/commits", allocations{r.Tenant, h.Allocations}, &out, upstream.Tenant(r.Tenant), upstream.Repeatable()); err != nil {
		return fmt.Errorf("inventory: commit for %s: %w", r.ID, err)
	}
	if out.CommittedAt.IsZero() { // not an answer of inventory: do not confirm
		return fault.ErrUpstreamUnavailable.Because(fmt.Errorf("inventory: commit for %s: incomplete", r.ID))
	}
	return nil
}

// Reallocate releases allocations and takes others in one step, all or nothing; the released rooms count as free. The taken
// rooms are committed at once. It returns ErrOverbooked, and changes nothing, if a room is not available: then these allocations
// stay refused for ever.
func (i Inventory) Reallocate(ctx context.Context, r *booking.Reservation, releases []id.Allocation, takes []booking.Take) error {
	in := struct {
		Tenant      id.Tenant       `json:"tenantId"`
		Property    id.Property     `json:"propertyId"`
		Reservation id.Reservation  `json:"reservationId"`
		Releases    []id.Allocation `json:"releases"`
		Allocations []booking.Take  `json:"allocations"`
	}{r.Tenant, r.Property, r.ID, append([]id.Allocation{}, releases...), append([]booking.Take{}, takes...)}
	var out struct {
		ReallocatedAt time.Time `json:"reallocatedAt"`
	}
	if err := i.client.Post(ctx, "/reallocations", in, &out, upstream.Tenant(r.Tenant), upstream.Repeatable()); err != nil {
		return fmt.Errorf("inventory: reallocate for %s: %w", r.ID, err)
	}
	if out.ReallocatedAt.IsZero() { // not an answer of inventory
		return fault.ErrUpstreamUnavailable.Because(fmt.Errorf("inventory: reallocate for %s: incomplete", r.ID))
	}
	return nil
}

// Release releases held or committed rooms.
func (i Inventory) Release(ctx context.Context, r *booking.Reservation, ids []id.Allocation) error {
	if err := i.client.Post(ctx, "/releases", allocations{r.Tenant, ids}, nil, upstream.Tenant(r.Tenant), upstream.Repeatable()); err != nil {
		return fmt.Errorf("inventory: release for %s: %w", r.ID, err)
	}
	return nil
}
