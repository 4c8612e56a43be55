package sandbox_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"melmastoon.ghasi.io/functions/demo/sandbox/demo"
	"melmastoon.ghasi.io/functions/demo/sandbox/internal/inventory"
	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/testkit/check"
)

func TestHold_allOrNone(t *testing.T) {
	t.Parallel()
	b := open(t)
	w := b.nights(10, 3)
	whole := b.want(w, 2)
	whole.Claims = append(whole.Claims, inventory.Claim{Allocation: id.New[id.Allocation](), RoomType: kabul.Rooms[0].ID, Units: 13})
	if _, err := b.Inventory.Hold(t.Context(), whole); !errors.Is(err, inventory.ErrSoldOut) {
		t.Fatalf("13 of 12 rooms: %v, want ErrSoldOut", err)
	}
	check.Equal(t, b.left(t, w), 2, "suites left after the refusal")
	placed, err := b.Inventory.Hold(t.Context(), b.want(w, 2))
	check.Must(t, err)
	check.Equal(t, placed.ExpiresAt.Sub(placed.PlacedAt), 10*time.Minute, "held for")
	check.Equal(t, b.left(t, b.nights(12, 5)), 0, "suites left where one night overlaps")
	check.Equal(t, b.left(t, b.nights(13, 5)), 2, "suites left from the day of departure on")
}

func TestHold_claimsAddUp(t *testing.T) {
	t.Parallel()
	b := open(t)
	h := b.want(b.nights(10, 2), 1)
	for range 2 {
		h.Claims = append(h.Claims, inventory.Claim{Allocation: id.New[id.Allocation](), RoomType: suites.ID, Units: 1})
	}
	check.Got(b.Inventory.Hold(t.Context(), h)).Error(t, inventory.ErrSoldOut, "three claims on two suites")
}

func TestHold_repeated(t *testing.T) {
	t.Parallel()
	b := open(t)
	w := b.nights(10, 2)
	h := b.want(w, 2)
	first, err := b.Inventory.Hold(t.Context(), h)
	check.Must(t, err)
	refused := b.want(w, 1)
	if _, err := b.Inventory.Hold(t.Context(), refused); !errors.Is(err, inventory.ErrSoldOut) {
		t.Fatal(err)
	}
	b.Advance(time.Minute)
	again, err := b.Inventory.Hold(t.Context(), h)
	check.Must(t, err)
	check.Equal(t, again, first)
	check.Equal(t, b.published(t, h.Reservation), []string{"inventory.allocation.committed.v1"})
	check.Must(t, b.release(t.Context(), h))
	// The rejection was published: a later success with the same ids would contradict it.
	check.Got(b.Inventory.Hold(t.Context(), refused)).Error(t, inventory.ErrSoldOut, "the repeat of a refusal, with rooms free again")
	check.Equal(t, b.published(t, refused.Reservation), []string{"inventory.allocation.failed.v1"})
	check.Got(b.Inventory.Hold(t.Context(), h)).Error(t, inventory.ErrHoldOver, "the repeat of a released hold")
}

func TestHold_otherHoldsIDs(t *testing.T) {
	t.Parallel()
	b := open(t)
	h := b.held(t, b.nights(10, 2), 1)
	for name, change := range map[string]func(*inventory.Hold){
		"another reservation": func(h *inventory.Hold) { h.Reservation = id.New[id.Reservation]() },
		"other nights":        func(h *inventory.Hold) { h.Stay = b.nights(11, 2) },
		"other units": func(h *inventory.Hold) {
			h.Claims = []inventory.Claim{{Allocation: h.Claims[0].Allocation, RoomType: suites.ID, Units: 2}}
		},
		"one id more": func(h *inventory.Hold) {
			h.Claims = append(slices.Clone(h.Claims), inventory.Claim{Allocation: id.New[id.Allocation](), RoomType: suites.ID, Units: 1})
		},
		"another tenant": func(h *inventory.Hold) {
			h.Tenant, h.Property = demo.HeratGarden.Tenant, demo.HeratGarden.Property
			h.Claims = []inventory.Claim{{Allocation: h.Claims[0].Allocation, RoomType: demo.HeratGarden.Rooms[0].ID, Units: 1}}
		},
	} {
		t.Run(name, func(t *testing.T) {
			other := h
			change(&other)
			check.Got(b.Inventory.Hold(t.Context(), other)).Error(t, inventory.ErrOtherHold)
		})
	}
}

func TestHold_expiryFreesRooms(t *testing.T) {
	t.Parallel()
	b := open(t)
	w := b.nights(10, 2)
	h := b.held(t, w, 2)
	b.Advance(10 * time.Minute)
	check.Equal(t, b.left(t, w), 2, "suites left")
	check.Error(t, b.commit(t.Context(), h), inventory.ErrHoldOver)
	check.Got(b.Inventory.Hold(t.Context(), h)).Error(t, inventory.ErrHoldOver, "repeat")
	b.held(t, w, 2)
}

func TestCommit_survivesExpiry(t *testing.T) {
	t.Parallel()
	b := open(t)
	w := b.nights(10, 2)
	h := b.held(t, w, 2)
	at, err := b.Inventory.Commit(t.Context(), h.Tenant, ids(h))
	check.Must(t, err)
	b.Advance(time.Hour)
	check.Equal(t, b.left(t, w), 0, "suites left an hour later")
	again, err := b.Inventory.Commit(t.Context(), h.Tenant, ids(h))
	check.Must(t, err)
	check.Equal(t, again, at)
	for range 2 {
		check.Must(t, b.release(t.Context(), h))
	}
	check.Equal(t, b.left(t, w), 2, "suites left after the release")
	check.Error(t, b.commit(t.Context(), h), inventory.ErrHoldOver, "commit after the release")
}

func TestCommit_allOrNone(t *testing.T) {
	t.Parallel()
	b := open(t)
	first := b.held(t, b.nights(10, 2), 1)
	b.Advance(5 * time.Minute)
	second := b.held(t, b.nights(20, 2), 1)
	b.Advance(5 * time.Minute)
	if _, err := b.Inventory.Commit(t.Context(), kabul.Tenant, append(ids(first), ids(second)...)); !errors.Is(err, inventory.ErrHoldOver) {
		t.Fatalf("one lapsed, one live: %v, want ErrHoldOver", err)
	}
	check.Equal(t, b.count(t, `SELECT count(*) FROM sandbox.allocations WHERE state = 'committed'`), 0, "committed allocations")
}

func TestInventory_otherTenant(t *testing.T) {
	t.Parallel()
	b := open(t)
	h := b.held(t, b.nights(10, 2), 1)
	check.Got(b.Inventory.Commit(t.Context(), demo.HeratGarden.Tenant, ids(h))).Error(t, fault.ErrNotFound, "another tenant's commit")
	other := h
	other.Tenant = demo.HeratGarden.Tenant
	check.Must(t, b.release(t.Context(), other))
	check.Equal(t, b.left(t, h.Stay), 1, "suites left after another tenant's release")
	foreign := b.want(b.nights(10, 2), 1)
	foreign.Claims[0].RoomType = demo.HeratGarden.Rooms[0].ID
	check.Got(b.Inventory.Hold(t.Context(), foreign)).Error(t, fault.ErrNotFound, "a room of another house")
}

func TestHold_nightsNotOnSale(t *testing.T) {
	t.Parallel()
	b := open(t)
	check.Got(b.Inventory.Hold(t.Context(), b.want(b.nights(398, 5), 1))).Error(t, inventory.ErrSoldOut, "beyond the last night")
	check.Equal(t, b.left(t, b.nights(398, 5)), 0, "suites left")
}
