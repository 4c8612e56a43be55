package sandbox_test

import (
	"context"
	"errors"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
	"golang.org/x/sync/errgroup"

	"melmastoon.ghasi.io/functions/demo/sandbox/internal/inventory"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/testkit/check"
	"melmastoon.ghasi.io/test/seedrand"
)

// An inventoryCall is a call of inventory about suites in three nights. The nights are a bit mask.
type inventoryCall struct {
	kind       string // hold, commit, release or reallocate
	allocation id.Allocation
	nights     uint8
	releases   id.Allocation // of reallocate
}

// A room of the model: the nights of an allocation and its state.
type modelRoom struct {
	nights uint8
	state  string // taken, released or refused
}

// inventoryModel is a house of two suites that answers one call after the other.
var inventoryModel = porcupine.Model{
	Init: func() any { return map[id.Allocation]modelRoom{} },
	Step: func(state, input, output any) (bool, any) {
		after := maps.Clone(state.(map[id.Allocation]modelRoom))
		want := step(after, input.(inventoryCall))
		return output == want, after
	},
	Equal: func(a, b any) bool {
		return maps.Equal(a.(map[id.Allocation]modelRoom), b.(map[id.Allocation]modelRoom))
	},
}

// step makes a call and returns its answer.
func step(allocations map[id.Allocation]modelRoom, c inventoryCall) string {
	known := allocations[c.allocation]
	switch c.kind {
	case "commit":
		if known.state != "taken" {
			return "over"
		}
		return "ok"
	case "release":
		if known.state == "taken" {
			allocations[c.allocation] = modelRoom{known.nights, "released"}
		}
		return "ok"
	}
	before, releases := allocations[c.releases], c.kind == "reallocate"
	if releases && before.state == "taken" {
		allocations[c.releases] = modelRoom{before.nights, "released"}
	}
	if full(allocations, c.nights) {
		allocations[c.allocation] = modelRoom{c.nights, "refused"}
		if releases {
			allocations[c.releases] = before
		}
		return "refused"
	}
	allocations[c.allocation] = modelRoom{c.nights, "taken"}
	return "ok"
}

// full reports whether both suites are taken in one of the nights.
func full(allocations map[id.Allocation]modelRoom, nights uint8) bool {
	for night := range 3 {
		taken := 0
		for _, room := range allocations {
			if room.state == "taken" && room.nights&(1<<night) != 0 {
				taken++
			}
		}
		if nights&(1<<night) != 0 && taken >= 2 {
			return true
		}
	}
	return false
}

// Concurrent holds, commits, releases and reallocations have answers that some order of single calls explains. A history with
// one answer changed must be rejected, or the check proves nothing.
func TestInventory_linearizable(t *testing.T) {
	t.Parallel()
	seed, b := seedrand.New(t), openWith(t, "8")
	refused, caught := 0, 0
	for n := range seedrand.Iterations(t, 500, 5_000) {
		h := b.history(t, seed, n)
		if !porcupine.CheckOperations(inventoryModel, h) {
			t.Fatalf("history %d has no explanation: %+v", n, h)
		}
		at := slices.IndexFunc(h, func(o porcupine.Operation) bool { return o.Output == "refused" })
		if at < 0 {
			continue
		}
		refused++
		h[at].Output = "ok"
		if !porcupine.CheckOperations(inventoryModel, h) {
			caught++
		}
	}
	t.Logf("%d histories had a refusal; turned into a success, %d of them were rejected", refused, caught)
	if refused == 0 || caught < refused/2 {
		t.Errorf("%d of %d changed histories were rejected, want most", caught, refused)
	}
}

// history lets four clients call inventory at once, and releases all rooms in the end.
func (b books) history(t *testing.T, seed seedrand.Seed, n int) []porcupine.Operation {
	t.Helper()
	const clients, calls = 4, 5
	var (
		mu   sync.Mutex
		all  []porcupine.Operation
		mine []inventoryCall // calls that took a room, with the hold's reservation
		of   = map[id.Allocation]inventory.Hold{}
	)
	start, first := time.Now(), 10+n%100*3
	callers, ctx := errgroup.WithContext(t.Context())
	for client := range clients {
		random := seed.Of("history", n, client)
		callers.Go(func() error {
			for range calls {
				mu.Lock()
				call, h := b.choose(random, first, mine, of)
				mu.Unlock()
				op := porcupine.Operation{ClientId: client, Input: call, Call: time.Since(start).Nanoseconds()}
				answer, err := b.make(ctx, call, h)
				op.Return, op.Output = time.Since(start).Nanoseconds(), answer
				if err != nil {
					return err
				}
				mu.Lock()
				all = append(all, op)
				if answer == "ok" && call.kind != "commit" && call.kind != "release" {
					mine, of[call.allocation] = append(mine, call), h
				}
				mu.Unlock()
			}
			return nil
		})
	}
	check.Must(t, callers.Wait())
	for a, h := range of {
		h.Claims[0].Allocation = a
		check.Must(t, b.release(t.Context(), h))
	}
	return all
}

// choose returns a random call: about a room that a client has taken, or for a new one.
func (b books) choose(random *rand.Rand, first int, taken []inventoryCall, of map[id.Allocation]inventory.Hold) (inventoryCall, inventory.Hold) {
	from := random.IntN(3)
	count := 1 + random.IntN(3-from)
	nights := uint8((1<<count - 1) << from)
	h := b.want(b.nights(first+from, count), 1)
	if len(taken) == 0 || random.IntN(3) == 0 {
		return inventoryCall{kind: "hold", allocation: h.Claims[0].Allocation, nights: nights}, h
	}
	known := taken[random.IntN(len(taken))]
	old := of[known.allocation]
	switch random.IntN(3) {
	case 0:
		return inventoryCall{kind: "commit", allocation: known.allocation}, b.about(old, known.allocation)
	case 1:
		return inventoryCall{kind: "release", allocation: known.allocation}, b.about(old, known.allocation)
	}
	h.Reservation = old.Reservation
	return inventoryCall{kind: "reallocate", allocation: h.Claims[0].Allocation, nights: nights, releases: known.allocation}, h
}

// about returns a hold with that allocation only.
func (b books) about(h inventory.Hold, a id.Allocation) inventory.Hold {
	h.Claims = slices.Clone(h.Claims)
	h.Claims[0].Allocation = a
	return h
}

// make makes a call and returns its answer.
func (b books) make(ctx context.Context, c inventoryCall, h inventory.Hold) (answer string, err error) {
	switch c.kind {
	case "hold":
		_, err = b.Inventory.Hold(ctx, h)
	case "commit":
		err = b.commit(ctx, h)
	case "release":
		err = b.release(ctx, h)
	case "reallocate":
		to := inventory.Placement{Claim: h.Claims[0], Stay: h.Stay}
		_, err = b.Reallocate(ctx, inventory.Reallocation{
			Tenant: h.Tenant, Property: h.Property, Reservation: h.Reservation, Releases: []id.Allocation{c.releases}, Allocations: []inventory.Placement{to},
		})
	}
	switch {
	case err == nil:
		return "ok", nil
	case errors.Is(err, inventory.ErrSoldOut):
		return "refused", nil
	case errors.Is(err, inventory.ErrHoldOver):
		return "over", nil
	}
	return "", err
}
