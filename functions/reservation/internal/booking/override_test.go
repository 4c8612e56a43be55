package booking

import (
	"slices"
	"testing"
	"time"

	"melmastoon.ghasi.io/shared/id"
)

// A guest who left too early by mistake gets the remaining nights again; the refund that was requested is due again.
func TestOverride_earlyDeparture(t *testing.T) {
	t.Parallel()
	c := openDeskTest(t)
	c.now = arrival
	c.checkIn()
	r := c.stored()
	c.now = arrival.Add(20 * time.Hour) // the second night is unslept
	events, err := r.Leave(LeaveWish{By: Actor{Staff, "usr_desk"}, Folio: aFolio()}, c.now)
	if err != nil {
		t.Fatal(err)
	}
	given := slices.Clone(r.Allocations)
	if err := save(t, c.changer.reservations, r, events...); err != nil {
		t.Fatal(err)
	}
	if err := c.house.Release(t.Context(), r, given); err != nil {
		t.Fatal(err)
	}
	act := id.New[id.Request]()
	if _, _, err := c.changer.Change(t.Context(), c.call(act), c.changer.Override(act, CheckedIn, "the wrong guest")); err != nil {
		t.Fatal(err)
	}
	r = c.stored()
	if r.State != CheckedIn {
		t.Errorf("state = %s, want %s", r.State, CheckedIn)
	}
	if r.Outcome != Committed {
		t.Errorf("outcome of the hold = %s, want %s", r.Outcome, Committed)
	}
	if slices.ContainsFunc(r.Allocations, func(a id.Allocation) bool { return slices.Contains(given, a) }) {
		t.Errorf("allocations = %v, want none of the released %v", r.Allocations, given)
	}
	if r.CheckOut != nil {
		t.Errorf("check-out = %v, want nil", r.CheckOut)
	}
	if got, want := r.due(), r.Requested[0].Amount; got != want {
		t.Errorf("due = %d, want the refund of %d", got, want)
	}
}
