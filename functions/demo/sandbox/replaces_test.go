package sandbox_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"net/http"
	"slices"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"melmastoon.ghasi.io/functions/demo/sandbox/demo"
	"melmastoon.ghasi.io/functions/demo/sandbox/internal/inventory"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/stay"
	"melmastoon.ghasi.io/shared/testkit/check"
)

// instead returns a hold of suites by another reservation that replaces some allocations.
func (b books) instead(w stay.Window, units int, of ...id.Allocation) inventory.Hold {
	h := b.want(w, units)
	h.Replaces = of
	return h
}

// wantLeft compares the free suites of consecutive nights, from a day on.
func (b books) wantLeft(t *testing.T, from int, want ...int) {
	t.Helper()
	for n, left := range want {
		check.Equal(t, b.left(t, b.nights(from+n, 1)), left, "suites are left on day %d", from+n)
	}
}

func TestHold_replacesLastRoom(t *testing.T) {
	t.Parallel()
	b := open(t)
	b.booked(t, b.nights(10, 4), 1)
	mine := b.held(t, b.nights(10, 2), 1)
	longer := b.instead(b.nights(9, 4), 1, ids(mine)...)
	first, err := b.Inventory.Hold(t.Context(), longer)
	check.Must(t, err, "a longer stay in the last room")
	check.Equal(t, b.state(t, ids(mine)[0]), "released", "the replaced allocation")
	b.wantLeft(t, 9, 1, 0, 0, 0, 1, 2)
	b.Advance(time.Minute)
	again, err := b.Inventory.Hold(t.Context(), longer)
	check.Must(t, err)
	check.Equal(t, again, first, "the answer of the repetition")
	check.Equal(t, b.published(t, longer.Reservation), []string{"inventory.allocation.committed.v1"})
	check.Error(t, b.commit(t.Context(), mine), inventory.ErrHoldOver, "commit of the replaced hold")
	check.Must(t, b.release(t.Context(), mine))
	check.Equal(t, b.left(t, b.nights(10, 1)), 0, "suites left after a release of the replaced hold")
}

// A replaced hold may have other nights than the new one, and nights that it shares with nothing.
func TestHold_replacesOtherNights(t *testing.T) {
	t.Parallel()
	b := open(t)
	one, two := b.held(t, b.nights(10, 2), 1), b.held(t, b.nights(20, 3), 2)
	h := b.instead(b.nights(21, 1), 2, append(ids(one), ids(two)...)...)
	check.Got(b.Inventory.Hold(t.Context(), h)).Must(t)
	b.wantLeft(t, 10, 2)
	b.wantLeft(t, 20, 2, 0, 2)
}

func TestHold_refusedReplacesNothing(t *testing.T) {
	t.Parallel()
	b := open(t)
	mine := b.held(t, b.nights(10, 2), 1)
	b.booked(t, b.nights(12, 1), 2)
	h := b.instead(b.nights(10, 3), 1, ids(mine)...)
	for range 2 {
		if _, err := b.Inventory.Hold(t.Context(), h); !errors.Is(err, inventory.ErrSoldOut) {
			t.Fatalf("a longer stay into a full night: %v, want ErrSoldOut", err)
		}
	}
	check.Equal(t, b.state(t, ids(mine)[0]), "held", "the old allocation")
	check.Equal(t, b.left(t, b.nights(10, 2)), 1, "suites left")
	check.NoError(t, b.commit(t.Context(), mine), "commit of the old hold")
}

func TestHold_replacesHeldOnly(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name  string
		old   func(*testing.T, books) []id.Allocation // of both suites
		state string
	}{
		{"committed", func(t *testing.T, b books) []id.Allocation { return ids(b.booked(t, b.nights(10, 2), 2)) }, "committed"},
		{"unknown", func(t *testing.T, b books) []id.Allocation {
			b.held(t, b.nights(10, 2), 2)
			return []id.Allocation{id.New[id.Allocation]()}
		}, "none"},
		{"expired", func(t *testing.T, b books) []id.Allocation {
			expired := b.held(t, b.nights(10, 2), 2)
			b.Advance(10 * time.Minute)
			b.held(t, b.nights(10, 2), 2)
			return ids(expired)
		}, "held"},
		{"other property", func(t *testing.T, b books) []id.Allocation {
			b.held(t, b.nights(10, 2), 2)
			other := inventory.Hold{Tenant: demo.HeratGarden.Tenant, Property: demo.HeratGarden.Property, Reservation: id.New[id.Reservation](),
				Stay: b.nights(10, 2), TTL: 10 * time.Minute,
				Claims: []inventory.Claim{{Allocation: id.New[id.Allocation](), RoomType: demo.HeratGarden.Rooms[0].ID, Units: 2}}}
			check.Got(b.Inventory.Hold(t.Context(), other)).Must(t)
			return ids(other)
		}, "held"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			b := open(t)
			old := test.old(t, b)
			check.Got(b.Inventory.Hold(t.Context(), b.instead(b.nights(10, 2), 1, old...))).Error(t, inventory.ErrSoldOut, "in a full house")
			check.Got(b.Inventory.Hold(t.Context(), b.instead(b.nights(30, 2), 1, old...))).NoError(t, "in an empty house")
			check.Equal(t, b.state(t, old[0]), test.state, "the old allocation")
		})
	}
}

// The refusal of a request without any chance needs no locks. It must count the replaced rooms as free.
func TestHold_replacesBeyondOutOfOrder(t *testing.T) {
	t.Parallel()
	b := open(t)
	mine := b.held(t, b.nights(10, 2), 2)
	check.Got(b.owner.Exec(t.Context(), `UPDATE sandbox.inventory_nights SET capacity = 1 WHERE room_type_id = $1 AND night = $2`,
		suites.ID, b.today.AddDays(10))).Must(t)
	longer := b.instead(b.nights(10, 3), 2, ids(mine)...)
	check.Got(b.Inventory.Hold(t.Context(), longer)).NoError(t, "as many suites as before, one of them out of order")
	more := b.instead(b.nights(10, 3), 3, ids(longer)...)
	check.Got(b.Inventory.Hold(t.Context(), more)).Error(t, inventory.ErrSoldOut, "more suites than before")
	// The invariants at the end of each test compare what is taken with the capacity.
	check.Got(b.owner.Exec(t.Context(), `UPDATE sandbox.inventory_nights SET capacity = 2 WHERE room_type_id = $1`, suites.ID)).Must(t)
}

// Two guests hold one suite each and exchange them for other nights again and again, while others want the same nights. Each keeps a
// suite, whatever happens to the attempt, and no night is oversold.
func TestHold_concurrentReplacements(t *testing.T) {
	t.Parallel()
	b := openConcurrent(t)
	const guests, attempts = 2, 60
	callers, ctx := errgroup.WithContext(t.Context())
	last := make([]inventory.Hold, guests)
	var exchanged [guests]int
	for n := range last {
		last[n] = b.held(t, b.nights(10, 3), 1)
	}
	for n := range guests {
		callers.Go(func() error {
			for range attempts {
				h := b.instead(b.nights(9+rand.IntN(3), 1+rand.IntN(4)), 1, ids(last[n])...)
				_, err := b.Inventory.Hold(ctx, h)
				if err == nil {
					last[n] = h
					exchanged[n]++
				} else if !errors.Is(err, inventory.ErrSoldOut) {
					return err
				}
			}
			return nil
		})
	}
	for range 4 {
		callers.Go(func() error { return b.intrude(ctx, attempts) })
	}
	check.Must(t, callers.Wait())
	for n, h := range last {
		check.NotEqual(t, exchanged[n], 0, "guest %d never exchanged a suite", n)
		check.NoError(t, b.commit(t.Context(), h), "commit for guest %d", n)
	}
	check.Equal(t, b.count(t, oversold), 0, "oversold nights")
}

// intrude holds and releases a suite of contested nights.
func (b books) intrude(ctx context.Context, attempts int) error {
	for range attempts {
		h := b.want(b.nights(9+rand.IntN(6), 1), 1)
		_, err := b.Inventory.Hold(ctx, h)
		if err == nil {
			err = b.release(ctx, h)
		}
		if err != nil && !errors.Is(err, inventory.ErrSoldOut) {
			return err
		}
	}
	return nil
}

// Two guests replace each other's holds at the same time: one of them is first, and the other one finds nothing to replace.
func TestHold_concurrentReplacementOfOneHold(t *testing.T) {
	t.Parallel()
	b := openConcurrent(t)
	for round := range 10 {
		w := b.nights(10+5*round, 2)
		b.booked(t, w, 1)
		old := b.held(t, w, 1)
		var won [4]bool
		callers, ctx := errgroup.WithContext(t.Context())
		for n := range won {
			callers.Go(func() error {
				_, err := b.Inventory.Hold(ctx, b.instead(w, 1, ids(old)...))
				won[n] = err == nil
				if errors.Is(err, inventory.ErrSoldOut) {
					return nil
				}
				return err
			})
		}
		check.Must(t, callers.Wait())
		winners := 0
		for _, w := range won {
			if w {
				winners++
			}
		}
		check.Equal(t, winners, 1, "round %d: requests got the last suite", round)
	}
	check.Equal(t, b.count(t, oversold), 0, "oversold nights")
}

func TestHTTP_replaces(t *testing.T) {
	t.Parallel()
	b := open(t)
	f := b.front(t)
	old := b.held(t, b.nights(10, 2), 2)
	fresh := id.New[id.Allocation]()
	request := func(replaces ...id.Allocation) body {
		return body{"tenantId": kabul.Tenant, "propertyId": kabul.Property, "reservationId": id.New[id.Reservation](), "ttlSeconds": 600,
			"stayWindow": b.nights(10, 3), "allocations": []body{{"allocationId": fresh, "roomTypeId": suites.ID, "units": 1}}, "replaces": replaces}
	}
	for name, replaces := range map[string][]id.Allocation{
		"the new allocation":   {fresh},
		"one allocation twice": {ids(old)[0], ids(old)[0]},
		"101 allocations": slices.Collect(func(yield func(id.Allocation) bool) {
			for range inventory.MaxAllocations + 1 {
				yield(id.New[id.Allocation]())
			}
		}),
	} {
		t.Run(name, func(t *testing.T) {
			check.Equal(t, f.Post("/sandbox/inventory/v1/holds", request(replaces...)).Code(), "GENERAL.VALIDATION_FAILED")
		})
	}
	f.Post("/sandbox/inventory/v1/holds", request(ids(old)...)).Must(t, http.StatusCreated)
	check.Equal(t, b.state(t, ids(old)[0]), "released", "the replaced allocation")
}
