package sandbox_test

import (
	"errors"
	"testing"
	"time"

	"melmastoon.ghasi.io/functions/demo/sandbox/internal/inventory"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/testkit/check"
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
	check.Must(t, b.release(t.Context(), old))
	check.Equal(t, b.left(t, w), 1, "suites left")
	b.held(t, w, 1)
	check.Got(b.Inventory.Hold(t.Context(), b.want(w, 1))).Error(t, inventory.ErrSoldOut, "a third of two suites")
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
	check.Got(b.Inventory.Hold(t.Context(), b.want(w, 1))).Error(t, inventory.ErrSoldOut, "while both holds live")
	check.NoError(t, b.commit(t.Context(), old), "the first hold")
	check.Equal(t, b.left(t, w), 0, "suites left")
}

// Failed holds are not counted: ids of another hold, and repetitions.
func TestNights_countPlacedOnly(t *testing.T) {
	t.Parallel()
	b := open(t)
	w := b.nights(10, 3)
	h := b.held(t, w, 1)
	mixed := b.want(w, 1)
	mixed.Claims = append(mixed.Claims, inventory.Claim{Allocation: h.Claims[0].Allocation, RoomType: kabul.Rooms[0].ID, Units: 1})
	check.Got(b.Inventory.Hold(t.Context(), mixed)).Error(t, inventory.ErrOtherHold, "one id of another hold")
	check.Got(b.Inventory.Hold(t.Context(), h)).NoError(t)
	check.Equal(t, b.left(t, w), 1, "suites left")
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
	check.Equal(t, errors.Is(err, inventory.ErrSoldOut), false)
}
