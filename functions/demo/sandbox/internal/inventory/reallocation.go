package inventory

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"melmastoon.ghasi.io/functions/demo/sandbox/internal/standin"
	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/postgres"
	"melmastoon.ghasi.io/shared/stay"
)

// A Reallocation exchanges rooms of one reservation: it releases some allocations and commits others, all or none. What it
// releases counts as free for what it takes, so a guest can extend a stay in a full house.
type Reallocation struct {
	Tenant      id.Tenant       `json:"tenantId"`
	Property    id.Property     `json:"propertyId"`
	Reservation id.Reservation  `json:"reservationId"`
	Releases    []id.Allocation `json:"releases"`
	Allocations []Placement     `json:"allocations"`
}

// A Placement is a claim with a stay of its own. The caller chooses its allocation id, which makes repetitions idempotent.
type Placement struct {
	Claim
	Stay stay.Window `json:"stayWindow"`
}

// Validate rejects a reallocation without any allocation, with too many, with one twice, and impossible stays.
func (r *Reallocation) Validate() error {
	if len(r.Releases)+len(r.Allocations) == 0 {
		return standin.Refuse("/allocations", "count", "Must release or take at least one allocation.")
	}
	if len(r.Releases) > MaxAllocations {
		return standin.Refuse("/releases", "count", "Must list at most 100 allocations.")
	}
	if len(r.Allocations) > MaxAllocations {
		return standin.Refuse("/allocations", "count", "Must list at most 100 allocations.")
	}
	seen := map[id.Allocation]bool{}
	for n, a := range r.Releases {
		if seen[a] {
			return standin.Refuse(fmt.Sprintf("/releases/%d", n), "unique", "Each allocation must be listed once.")
		}
		seen[a] = true
	}
	for n, a := range r.Allocations {
		at := fmt.Sprintf("/allocations/%d", n)
		if a.Units < 1 || a.Units > MaxUnits {
			return standin.Refuse(at+"/units", "range", "Must be 1 to 100 units.")
		}
		if seen[a.Allocation] {
			return standin.Refuse(at+"/allocationId", "unique", "Each allocation must have an id of its own.")
		}
		if err := a.Stay.Validate(); err != nil {
			return standin.Refuse(at+"/stayWindow", "stay", err.Error())
		}
		seen[a.Allocation] = true
	}
	return nil
}

// Reallocate exchanges the rooms and returns the time of the decision, or ErrSoldOut. Both outcomes are permanent: the
// same ids get the same answer, or ErrHoldOver after the new rooms were released.
func (s Inventory) Reallocate(ctx context.Context, r Reallocation) (time.Time, error) {
	var d reallocated
	err := s.DB.InTenant(ctx, r.Tenant, func(tx postgres.Tx) (err error) {
		if d, err = r.decide(ctx, tx); err != nil || !d.Fresh || d.Outcome != "committed" {
			return err
		}
		return s.Outbox.Append(ctx, tx, r.committed(d.At)...)
	})
	if postgres.Violates(err, "allocations_pkey") {
		return time.Time{}, ErrOtherHold
	}
	if err != nil {
		return time.Time{}, fmt.Errorf("inventory: reallocate for %s: %w", r.Reservation, err)
	}
	return d.At, verdicts[d.Outcome]
}

// reallocated is the result of sandbox.reallocate_rooms. It is fresh if this call made it, and not an earlier call with
// the same ids.
type reallocated struct {
	Outcome string
	At      time.Time
	Fresh   bool
}

// decide calls sandbox.reallocate_rooms.
func (r Reallocation) decide(ctx context.Context, tx postgres.Tx) (reallocated, error) {
	allocations, rooms, units := []id.Allocation{}, []id.RoomType{}, []int{}
	starts, ends := []stay.Date{}, []stay.Date{}
	for _, a := range r.Allocations {
		allocations, rooms, units = append(allocations, a.Allocation), append(rooms, a.RoomType), append(units, a.Units)
		starts, ends = append(starts, a.Stay.Start), append(ends, a.Stay.End)
	}
	rows, _ := tx.Query(ctx, `
		SELECT outcome, coalesce(reallocated_at, 'epoch') AS at, fresh
		FROM sandbox.reallocate_rooms(@tenant, @property, @reservation, @releases, @allocations, @rooms, @units, @starts, @ends)`,
		pgx.StrictNamedArgs{"tenant": r.Tenant, "property": r.Property, "reservation": r.Reservation, "releases": r.Releases,
			"allocations": allocations, "rooms": rooms, "units": units, "starts": starts, "ends": ends})
	return pgx.CollectExactlyOneRow(rows, pgx.RowToStructByName[reallocated])
}

// committed returns an event per new allocation. They do not expire.
func (r Reallocation) committed(at time.Time) []event.Draft {
	drafts := make([]event.Draft, len(r.Allocations))
	for n, a := range r.Allocations {
		drafts[n] = event.Draft{
			Subject: AllocationCommittedV1, Tenant: r.Tenant, OrderingKey: standin.OrderingKey(r.Tenant, r.Reservation), AggregateVersion: 1,
			Payload: allocationPayload{Tenant: r.Tenant, Property: r.Property, Allocation: a.Allocation, Reservation: r.Reservation,
				RoomType: a.RoomType, Stay: a.Stay, Units: a.Units, CommittedAt: at},
		}
	}
	return drafts
}
