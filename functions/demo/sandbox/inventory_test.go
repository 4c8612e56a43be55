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
	if got := b.left(t, w); got != 2 {
		t.Errorf("after the refusal %d suites are left, want 2", got)
	}
	placed, err := b.Inventory.Hold(t.Context(), b.want(w, 2))
	if err != nil {
		t.Fatal(err)
	}
	if got := placed.ExpiresAt.Sub(placed.PlacedAt); got != 10*time.Minute {
		t.Errorf("held for %v, want 10 minutes", got)
	}
	if got := b.left(t, b.nights(12, 5)); got != 0 {
		t.Errorf("where one night overlaps %d suites are left, want 0", got)
	}
	if got := b.left(t, b.nights(13, 5)); got != 2 {
		t.Errorf("from the day of departure on %d suites are left, want 2", got)
	}
}

func TestHold_claimsAddUp(t *testing.T) {
	t.Parallel()
	b := open(t)
	h := b.want(b.nights(10, 2), 1)
	for range 2 {
		h.Claims = append(h.Claims, inventory.Claim{Allocation: id.New[id.Allocation](), RoomType: suites.ID, Units: 1})
	}
	if _, err := b.Inventory.Hold(t.Context(), h); !errors.Is(err, inventory.ErrSoldOut) {
		t.Errorf("three claims on two suites: %v, want ErrSoldOut", err)
	}
}

func TestHold_repeated(t *testing.T) {
	t.Parallel()
	b := open(t)
	w := b.nights(10, 2)
	h := b.want(w, 2)
	first, err := b.Inventory.Hold(t.Context(), h)
	if err != nil {
		t.Fatal(err)
	}
	refused := b.want(w, 1)
	if _, err := b.Inventory.Hold(t.Context(), refused); !errors.Is(err, inventory.ErrSoldOut) {
		t.Fatal(err)
	}
	b.Advance(time.Minute)
	again, err := b.Inventory.Hold(t.Context(), h)
	if err != nil {
		t.Fatal(err)
	}
	if again != first {
		t.Errorf("again = %+v, want %+v", again, first)
	}
	if got, want := b.published(t, h.Reservation), []string{"inventory.allocation.committed.v1"}; !slices.Equal(got, want) {
		t.Errorf("published %v, want %v", got, want)
	}
	if err := b.release(t.Context(), h); err != nil {
		t.Fatal(err)
	}
	// The rejection was published: a later success with the same ids would contradict it.
	if _, err := b.Inventory.Hold(t.Context(), refused); !errors.Is(err, inventory.ErrSoldOut) {
		t.Errorf("the repeat of a refusal, with rooms free again: %v, want ErrSoldOut", err)
	}
	if got, want := b.published(t, refused.Reservation), []string{"inventory.allocation.failed.v1"}; !slices.Equal(got, want) {
		t.Errorf("published %v, want %v", got, want)
	}
	if _, err := b.Inventory.Hold(t.Context(), h); !errors.Is(err, inventory.ErrHoldOver) {
		t.Errorf("the repeat of a released hold: %v, want ErrHoldOver", err)
	}
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
			if _, err := b.Inventory.Hold(t.Context(), other); !errors.Is(err, inventory.ErrOtherHold) {
				t.Errorf("%v, want ErrOtherHold", err)
			}
		})
	}
}

func TestHold_expiryFreesRooms(t *testing.T) {
	t.Parallel()
	b := open(t)
	w := b.nights(10, 2)
	h := b.held(t, w, 2)
	b.Advance(10 * time.Minute)
	if got := b.left(t, w); got != 2 {
		t.Errorf("%d suites are left, want 2", got)
	}
	if err := b.commit(t.Context(), h); !errors.Is(err, inventory.ErrHoldOver) {
		t.Errorf("commit: %v, want ErrHoldOver", err)
	}
	if _, err := b.Inventory.Hold(t.Context(), h); !errors.Is(err, inventory.ErrHoldOver) {
		t.Errorf("repeat: %v, want ErrHoldOver", err)
	}
	b.held(t, w, 2)
}

func TestCommit_survivesExpiry(t *testing.T) {
	t.Parallel()
	b := open(t)
	w := b.nights(10, 2)
	h := b.held(t, w, 2)
	at, err := b.Inventory.Commit(t.Context(), h.Tenant, ids(h))
	if err != nil {
		t.Fatal(err)
	}
	b.Advance(time.Hour)
	if got := b.left(t, w); got != 0 {
		t.Errorf("an hour later %d suites are left, want 0", got)
	}
	again, err := b.Inventory.Commit(t.Context(), h.Tenant, ids(h))
	if err != nil {
		t.Fatal(err)
	}
	if !again.Equal(at) {
		t.Errorf("again = %v, want %v", again, at)
	}
	for range 2 {
		if err := b.release(t.Context(), h); err != nil {
			t.Fatal(err)
		}
	}
	if got := b.left(t, w); got != 2 {
		t.Errorf("after the release %d suites are left, want 2", got)
	}
	if err := b.commit(t.Context(), h); !errors.Is(err, inventory.ErrHoldOver) {
		t.Errorf("commit after the release: %v, want ErrHoldOver", err)
	}
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
	if n := b.count(t, `SELECT count(*) FROM sandbox.allocations WHERE state = 'committed'`); n != 0 {
		t.Errorf("%d allocations are committed, want 0", n)
	}
}

func TestInventory_otherTenant(t *testing.T) {
	t.Parallel()
	b := open(t)
	h := b.held(t, b.nights(10, 2), 1)
	if _, err := b.Inventory.Commit(t.Context(), demo.HeratGarden.Tenant, ids(h)); !errors.Is(err, fault.ErrNotFound) {
		t.Errorf("another tenant's commit: %v, want ErrNotFound", err)
	}
	other := h
	other.Tenant = demo.HeratGarden.Tenant
	if err := b.release(t.Context(), other); err != nil {
		t.Fatal(err)
	}
	if got := b.left(t, h.Stay); got != 1 {
		t.Errorf("after another tenant's release %d suites are left, want 1", got)
	}
	foreign := b.want(b.nights(10, 2), 1)
	foreign.Claims[0].RoomType = demo.HeratGarden.Rooms[0].ID
	if _, err := b.Inventory.Hold(t.Context(), foreign); !errors.Is(err, fault.ErrNotFound) {
		t.Errorf("a room of another house: %v, want ErrNotFound", err)
	}
}

func TestHold_nightsNotOnSale(t *testing.T) {
	t.Parallel()
	b := open(t)
	if _, err := b.Inventory.Hold(t.Context(), b.want(b.nights(398, 5), 1)); !errors.Is(err, inventory.ErrSoldOut) {
		t.Errorf("beyond the last night: %v, want ErrSoldOut", err)
	}
	if got := b.left(t, b.nights(398, 5)); got != 0 {
		t.Errorf("%d suites are left, want 0", got)
	}
}
