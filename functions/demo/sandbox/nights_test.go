package sandbox_test

import (
	"errors"
	"testing"
	"time"

	"melmastoon.ghasi.io/functions/demo/sandbox/internal/inventory"
	"melmastoon.ghasi.io/shared/id"
)

// At the end of each test the nights' counts are compared with the allocations: test/invariants/nights_are_counted.sql.

// Expired allocations leave the count at the next recount. Releasing them then frees nothing.
func TestLapse_once(t *testing.T) {
	t.Parallel()
	b := open(t)
	w := b.nights(10, 3)
	old := b.held(t, w, 2)
	b.Advance(10 * time.Minute)
	b.held(t, b.nights(11, 1), 1)
	if err := b.release(t.Context(), old); err != nil {
		t.Fatal(err)
	}
	if got := b.left(t, w); got != 1 {
		t.Errorf("%d suites are left, want 1", got)
	}
	b.held(t, w, 1)
	if _, err := b.Inventory.Hold(t.Context(), b.want(w, 1)); !errors.Is(err, inventory.ErrSoldOut) {
		t.Errorf("a third of two suites: %v, want ErrSoldOut", err)
	}
}

// A clock that is set back makes an expired hold live again after it left the count.
func TestHold_clockSetBack(t *testing.T) {
	t.Parallel()
	b := open(t)
	w := b.nights(10, 3)
	old := b.held(t, w, 1)
	b.Advance(10 * time.Minute)
	b.held(t, w, 1)
	b.Advance(-9 * time.Minute)
	if _, err := b.Inventory.Hold(t.Context(), b.want(w, 1)); !errors.Is(err, inventory.ErrSoldOut) {
		t.Errorf("while both holds live: %v, want ErrSoldOut", err)
	}
	if err := b.commit(t.Context(), old); err != nil {
		t.Errorf("the first hold: %v", err)
	}
	if got := b.left(t, w); got != 0 {
		t.Errorf("%d suites are left, want 0", got)
	}
}

// Failed holds are not counted: ids of another hold, and repetitions.
func TestNights_countPlacedOnly(t *testing.T) {
	t.Parallel()
	b := open(t)
	w := b.nights(10, 3)
	h := b.held(t, w, 1)
	mixed := b.want(w, 1)
	mixed.Claims = append(mixed.Claims, inventory.Claim{Allocation: h.Claims[0].Allocation, RoomType: kabul.Rooms[0].ID, Units: 1})
	if _, err := b.Inventory.Hold(t.Context(), mixed); !errors.Is(err, inventory.ErrOtherHold) {
		t.Errorf("one id of another hold: %v, want ErrOtherHold", err)
	}
	if _, err := b.Inventory.Hold(t.Context(), h); err != nil {
		t.Error(err)
	}
	if got := b.left(t, w); got != 1 {
		t.Errorf("%d suites are left, want 1", got)
	}
}

// A room of another property of the same tenant is unknown to this property.
func TestHold_roomOfOtherProperty(t *testing.T) {
	t.Parallel()
	b := open(t)
	h := b.want(b.nights(10, 3), 1)
	h.Property = id.New[id.Property]()
	_, err := b.Inventory.Hold(t.Context(), h)
	if err == nil {
		t.Error("error = nil, want a value")
	}
	if errors.Is(err, inventory.ErrSoldOut) {
		t.Error("errors.Is(err, sandbox.ErrSoldOut) = true, want false")
	}
}
