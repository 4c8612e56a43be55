package inventory

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"melmastoon.ghasi.io/functions/demo/sandbox/internal/standin"
	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/postgres"
	"melmastoon.ghasi.io/shared/stay"
)

// A Hold requests rooms of one property for one stay: all of them or none. Held rooms that it replaces count as free for it. They are
// released if it succeeds, and stay held if it is refused.
type Hold struct {
	Tenant      id.Tenant
	Property    id.Property
	Reservation id.Reservation
	Stay        stay.Window
	TTL         time.Duration
	Claims      []Claim
	Replaces    []id.Allocation // of any reservation; committed, expired and unknown ones are ignored
}

// A Claim is the part of a hold for one room type. The caller chooses its allocation id, which makes repetitions
// idempotent.
type Claim struct {
	Allocation id.Allocation `json:"allocationId"`
	RoomType   id.RoomType   `json:"roomTypeId"`
	Units      int           `json:"units"`
}

// A HoldResult is a hold with its times, by the database's clock.
type HoldResult struct {
	PlacedAt  time.Time `json:"placedAt"`
	ExpiresAt time.Time `json:"expiresAt"`
}

// Left is the number of free rooms of a type on the fullest night of a stay.
type Left struct {
	RoomType id.RoomType `json:"roomTypeId" db:"room_type_id"`
	Units    int         `json:"unitsLeft" db:"units_left"`
}

// Inventory stores allocations of rooms. The decisions are made in SQL (schemas/postgres/sandbox): each is one call
// that locks the nights and reads the clock and the taken rooms. The events of a hold follow with the commit, in the
// next round trip.
type Inventory struct{ standin.Store }

// Open opens the store.
func Open(e env.Env) Inventory { return Inventory{standin.OpenStore(e)} }

// Hold takes the rooms, or returns ErrSoldOut. Both outcomes are permanent: the same ids get the same answer, or
// ErrHoldOver after the hold has expired or was released.
func (s Inventory) Hold(ctx context.Context, h Hold) (HoldResult, error) {
	var d decision
	err := s.DB.InTenant(ctx, h.Tenant, func(tx postgres.Tx) (err error) {
		if d, err = s.decide(ctx, tx, h); err != nil {
			return err
		}
		return s.Outbox.Append(ctx, tx, d.events(h)...)
	})
	if postgres.Violates(err, "allocations_pkey") {
		return HoldResult{}, ErrOtherHold
	}
	if err != nil {
		return HoldResult{}, fmt.Errorf("inventory: hold for %s: %w", h.Reservation, err)
	}
	return HoldResult{d.PlacedAt, d.ExpiresAt}, verdicts[d.Outcome]
}

// verdicts maps the outcomes of the SQL functions that decide about rooms to errors.
var verdicts = map[string]error{
	"held":      nil,
	"committed": nil,
	"refused":   ErrSoldOut,
	"over":      ErrHoldOver,
	"mismatch":  ErrOtherHold,
	"unknown":   fault.ErrNotFound,
}

// A decision is the result of sandbox.hold_rooms. It is fresh if this call made it, and not an earlier call with the
// same ids.
type decision struct {
	Outcome   string
	PlacedAt  time.Time
	ExpiresAt time.Time
	Fresh     bool
}

// events returns the events of a fresh decision, one per claim.
func (d decision) events(h Hold) []event.Draft {
	switch {
	case d.Fresh && d.Outcome == "held":
		return h.held(d.PlacedAt, d.ExpiresAt)
	case d.Fresh && d.Outcome == "refused":
		return h.refused(d.PlacedAt)
	}
	return nil
}

// decide calls sandbox.hold_rooms.
func (s Inventory) decide(ctx context.Context, tx postgres.Tx, h Hold) (decision, error) {
	var allocations []id.Allocation
	var rooms []id.RoomType
	var units []int
	for _, c := range h.Claims {
		allocations, rooms, units = append(allocations, c.Allocation), append(rooms, c.RoomType), append(units, c.Units)
	}
	replaces := append([]id.Allocation{}, h.Replaces...) // not NULL
	rows, _ := tx.Query(ctx, `
		SELECT outcome, coalesce(placed_at, 'epoch') AS placed_at, coalesce(expires_at, 'epoch') AS expires_at, fresh
		FROM sandbox.hold_rooms(@tenant, @property, @reservation, @start, @end, @ttl, @allocations, @rooms, @units, @replaces)`,
		pgx.StrictNamedArgs{"tenant": h.Tenant, "property": h.Property, "reservation": h.Reservation,
			"start": h.Stay.Start, "end": h.Stay.End, "ttl": h.TTL, "allocations": allocations, "rooms": rooms, "units": units,
			"replaces": replaces})
	return pgx.CollectExactlyOneRow(rows, pgx.RowToStructByName[decision])
}

// Commit makes held rooms permanent, all or none, and returns the time of the commit. Committed rooms stay committed.
// It returns ErrHoldOver if a hold has expired or was released.
func (s Inventory) Commit(ctx context.Context, tenant id.Tenant, allocations []id.Allocation) (at time.Time, err error) {
	var outcome string
	err = s.DB.InTenant(ctx, tenant, func(tx postgres.Tx) error {
		return tx.Last().QueryRow(ctx, `SELECT outcome, coalesce(committed_at, 'epoch') FROM sandbox.commit_rooms(@allocations)`,
			pgx.StrictNamedArgs{"allocations": allocations}).Scan(&outcome, &at)
	})
	if err != nil {
		return at, fmt.Errorf("inventory: commit %v: %w", allocations, err)
	}
	return at, verdicts[outcome]
}

// Release releases held or committed rooms in the caller's transaction, which locks their nights. It ignores other
// allocations.
func (s Inventory) Release(ctx context.Context, tx postgres.Tx, allocations []id.Allocation) error {
	_, err := tx.Exec(ctx, `SELECT sandbox.release_rooms(@allocations)`, pgx.StrictNamedArgs{"allocations": allocations})
	if err != nil {
		return fmt.Errorf("inventory: release %v: %w", allocations, err)
	}
	return nil
}

// ReleaseExpired releases the held rooms of an expired hold. Committed rooms stay: their guest may have paid in time. A first
// statement locks the nights, so that the second one sees concurrent commits.
func (s Inventory) ReleaseExpired(ctx context.Context, tx postgres.Tx, allocations []id.Allocation) error {
	args := pgx.StrictNamedArgs{"allocations": allocations}
	tx.Queue(`SELECT sandbox.lock_nights_of(@allocations)`, args)
	_, err := tx.Exec(ctx, `
		SELECT sandbox.release_rooms(ARRAY(
			SELECT a.allocation_id FROM sandbox.allocations AS a
			WHERE a.allocation_id = ANY (@allocations) AND a.state = 'held'))`, args)
	if err != nil {
		return fmt.Errorf("inventory: release expired %v: %w", allocations, err)
	}
	return nil
}

// Left returns the free rooms of each room type of a property. The result is a snapshot: only Hold decides.
func (s Inventory) Left(ctx context.Context, p id.Property, w stay.Window) (all []Left, err error) {
	tenant, err := standin.PropertyOwner(ctx, s.DB, p)
	if err != nil {
		return nil, err
	}
	err = s.DB.InTenant(ctx, tenant, func(tx postgres.Tx) error {
		rows, _ := tx.Last().Query(ctx, `
			SELECT l.room_type_id, l.units_left
			FROM sandbox.units_left(
				ARRAY(SELECT t.room_type_id FROM sandbox.room_types AS t WHERE t.property_id = @property),
				@start, @end, platform.now()) AS l
			ORDER BY l.room_type_id`,
			pgx.StrictNamedArgs{"property": p, "start": w.Start, "end": w.End})
		all, err = pgx.CollectRows(rows, pgx.RowToStructByName[Left])
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("inventory: left in %s: %w", p, err)
	}
	return all, nil
}

// MaxAllocations limits the allocations in one list of a request.
const MaxAllocations = 100

// MaxUnits limits the rooms of one allocation.
const MaxUnits = 100

// ValidateAllocations rejects a list that is empty, too long or has duplicates.
func ValidateAllocations(ids []id.Allocation) error {
	seen := map[id.Allocation]bool{}
	for _, a := range ids {
		seen[a] = true
	}
	if len(ids) == 0 || len(ids) > MaxAllocations || len(seen) < len(ids) {
		return standin.Refuse("/allocationIds", "list", "Name 1 to 100 allocations, each once.")
	}
	return nil
}
