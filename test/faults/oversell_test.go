package faults

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"melmastoon.ghasi.io/functions/demo/sandbox"
	"melmastoon.ghasi.io/functions/demo/sandbox/demo"
	"melmastoon.ghasi.io/functions/demo/sandbox/sandboxtest"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/postgres"
	"melmastoon.ghasi.io/shared/stay"
	"melmastoon.ghasi.io/shared/testkit/check"
	"melmastoon.ghasi.io/shared/testkit/pgtest"
	"melmastoon.ghasi.io/test/seedrand"
)

const holders = 64

func TestOversell_lastRooms(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name string
		days int // over which stays begin
	}{
		{"hot nights", 3},
		{"spread nights", 60},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			m := openInventoryTest(t)
			m.run(t, test.days, seedrand.Iterations(t, 20, 100))
			check.Equal(t, m.breaches(t), 0, "commits that found a night with more takers than rooms")
		})
	}
}

// TestOversell_sabotagedCheckThenInsert has the same crowd at an inventory that looks whether there is room and then takes it,
// without a lock.
func TestOversell_sabotagedCheckThenInsert(t *testing.T) {
	t.Parallel()
	m := openInventoryTest(t)
	m.exec(t, naive)
	m.run(t, 3, 20)
	n := m.breaches(t)
	t.Logf("caught %d times", n)
	if n == 0 {
		t.Error("check, then insert was not caught")
	}
	m.exec(t, `DELETE FROM sandbox.allocations; UPDATE sandbox.inventory_nights SET taken = 0`) // broken on purpose: not for the check at the end of each test
}

const naive = `
	CREATE OR REPLACE FUNCTION sandbox.hold_rooms(
		p_tenant uuid, p_property uuid, p_reservation uuid, p_start date, p_end date, p_ttl interval,
		p_allocations uuid[], p_room_types uuid[], p_units int[], p_replaces uuid[] DEFAULT '{}',
		OUT outcome text, OUT placed_at timestamptz, OUT expires_at timestamptz, OUT fresh boolean)
	LANGUAGE plpgsql AS $$
	BEGIN
		placed_at := platform.now();
		expires_at := placed_at + p_ttl;
		fresh := true;
		outcome := CASE WHEN EXISTS (SELECT FROM sandbox.inventory_nights AS n
			WHERE n.room_type_id = ANY (p_room_types) AND n.night >= p_start AND n.night < p_end AND n.capacity - n.taken < p_units[1])
			THEN 'refused' ELSE 'held' END;
		INSERT INTO sandbox.allocations (allocation_id, tenant_id, property_id, room_type_id, reservation_id,
			starts_on, ends_on, units, state, placed_at, expires_at)
		SELECT w.allocation_id, p_tenant, p_property, w.room_type_id, p_reservation,
			p_start, p_end, w.units, hold_rooms.outcome, hold_rooms.placed_at, hold_rooms.expires_at
		FROM unnest(p_allocations, p_room_types, p_units) AS w (allocation_id, room_type_id, units);
		UPDATE sandbox.inventory_nights AS n SET taken = taken + 1, next_lapse = least(n.next_lapse, hold_rooms.expires_at)
		WHERE hold_rooms.outcome = 'held' AND n.room_type_id = ANY (p_room_types) AND n.night >= p_start AND n.night < p_end;
	END $$;`

// An inventoryTest is the inventory of a hotel with few rooms left, and an observer of every commit to it.
type inventoryTest struct {
	commitObserver
	*pgtest.Database
	inventory sandboxtest.Inventory
	db        *postgres.DB
	today     stay.Date
	seed      seedrand.Seed
	tally     *counts
}

// counts are the outcomes of the holders' requests.
type counts struct {
	held, refused, committed, tooLate, released atomic.Int64
}

func openInventoryTest(t *testing.T) inventoryTest {
	t.Helper()
	d := pgtest.New(t)
	e := d.Env().With("DATABASE_POOL", "16")
	if err := demo.Furnish(t.Context(), e, 2); err != nil { // those that examples book
		t.Fatal(err)
	}
	return inventoryTest{observeCommits(t, d.Owner(t)), d, sandboxtest.OpenInventory(e), postgres.Open(e, sandbox.Schema),
		stay.DateOf(e.Now()), seedrand.New(t), new(counts)}
}

// A holder holds rooms, and commits, releases or forgets them.
type holder struct {
	*inventoryTest
	random *rand.Rand
	days   int
	mine   []sandboxtest.Hold
}

// run has all holders act concurrently, round by round. Between rounds the clock moves, so that holds lapse.
func (m *inventoryTest) run(t *testing.T, days, rounds int) {
	t.Helper()
	all := make([]*holder, holders)
	for n := range all {
		all[n] = &holder{m, m.seed.Of(n), days, nil}
	}
	clock := m.seed.Of(holders)
	for range rounds {
		group, ctx := errgroup.WithContext(t.Context())
		for _, b := range all {
			group.Go(func() error { return b.act(ctx) })
		}
		check.Must(t, group.Wait())
		m.Advance(time.Duration(1+clock.IntN(5)) * time.Minute)
	}
	m.report(t)
}

// report fails the test when something that should have happened never did.
func (m *inventoryTest) report(t *testing.T) {
	t.Helper()
	reads, meetings := m.counts(t)
	lapsed := m.number(t, `SELECT count(*) FROM sandbox.allocations WHERE state = 'held' AND expires_at <= platform.now()`)
	c := m.tally
	t.Logf("%d held, %d refused, %d committed, %d too late, %d released, %d lapsed; %d looks, %d while another waited",
		c.held.Load(), c.refused.Load(), c.committed.Load(), c.tooLate.Load(), c.released.Load(), lapsed, reads, meetings)
	for what, n := range map[string]int64{"held": c.held.Load(), "refused": c.refused.Load(), "committed": c.committed.Load(),
		"too late": c.tooLate.Load(), "released": c.released.Load(), "lapsed": int64(lapsed), "looked at": int64(reads), "met": int64(meetings)} {
		t.Run(what, func(t *testing.T) {
			if n == 0 {
				t.Error("got 0, want more")
			}
		})
	}
}

// act settles one of the holder's earlier holds, whatever has become of it, and asks for other rooms.
func (b *holder) act(ctx context.Context) error {
	if len(b.mine) > 0 {
		if err := b.settle(ctx, b.random.IntN(len(b.mine))); err != nil {
			return err
		}
	}
	h := b.want()
	_, err := b.inventory.Hold(ctx, h)
	switch {
	case errors.Is(err, sandboxtest.ErrSoldOut):
		b.tally.refused.Add(1)
		return nil
	case err != nil:
		return err
	}
	b.tally.held.Add(1)
	b.mine = append(b.mine, h)
	return nil
}

// want is one of the hotel's two suites for some nights.
func (b *holder) want() sandboxtest.Hold {
	hotel := demo.KabulGrand
	start := b.today.AddDays(10 + b.random.IntN(b.days))
	return sandboxtest.Hold{
		Tenant: hotel.Tenant, Property: hotel.Property, Reservation: id.New[id.Reservation](),
		Stay:   stay.Window{Start: start, End: start.AddDays(1 + b.random.IntN(4))},
		TTL:    time.Duration(2+b.random.IntN(9)) * time.Minute,
		Claims: []sandboxtest.Claim{{Allocation: id.New[id.Allocation](), RoomType: hotel.Rooms[2].ID, Units: 1}},
	}
}

// settle commits a hold or gives it back. What is committed is given back another time, so that rooms never run out.
func (b *holder) settle(ctx context.Context, n int) error {
	h := b.mine[n]
	rooms := []id.Allocation{h.Claims[0].Allocation}
	if b.random.IntN(2) == 0 {
		_, err := b.inventory.Commit(ctx, h.Tenant, rooms)
		if errors.Is(err, sandboxtest.ErrHoldOver) {
			b.tally.tooLate.Add(1)
			b.forget(n)
			return nil
		}
		if err == nil {
			b.tally.committed.Add(1)
		}
		return err
	}
	b.forget(n)
	b.tally.released.Add(1)
	return b.db.InTenant(ctx, h.Tenant, func(tx postgres.Tx) error { return b.inventory.Release(ctx, tx, rooms) })
}

func (b *holder) forget(n int) { b.mine = slices.Delete(b.mine, n, n+1) }
