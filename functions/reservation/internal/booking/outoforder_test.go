package booking

import (
	"context"
	"testing"

	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/fn/observe"
)

// outage takes the room of the first item out of order during the stay.
func (c *deskTest) outage() (m *Mover, o Outage) {
	c.t.Helper()
	m = OpenMover(c.db.Env(), Upstreams{Inventory: c.fakeInventory, Payments: newFakePayments()})
	m.changer = c.changer
	m.rooms = func(context.Context, id.Tenant, id.Property) ([]Room, error) { return c.rooms, nil }
	r := c.stored()
	period := OutOfOrder{From: night(c.t, "2026-12-02"), Until: night(c.t, "2026-12-09")}
	return m, Outage{Tenant: r.Tenant, Property: r.Property, Room: *r.Items[0].Room, Period: period, At: c.now}
}

func TestMove(t *testing.T) {
	t.Parallel()
	c := openDeskTest(t)
	c.checkIn()
	free := Room{ID: id.New[id.Room](), Type: c.rooms[0].Type, Number: "201"}
	c.rooms = append(c.rooms, free)
	m, o := c.outage()
	event := id.New[id.Event]()
	for range 2 { // the event is delivered twice
		if unmoved, err := m.Move(t.Context(), event, o); err != nil || unmoved != 0 {
			t.Fatalf("Move() = %d, %v; want 0", unmoved, err)
		}
	}
	r := c.stored()
	if got := *r.Items[0].Room; got != free.ID {
		t.Errorf("the guest has room %v, want %v", got, free.ID)
	}
	if len(r.Modified) != 1 || r.Modified[0].Actor != saga() {
		t.Errorf("modifications = %v, want one of this service", r.Modified)
	}
	if issued := r.keys(KeyIssued); len(issued) != 2 {
		t.Errorf("%d issued keys, want 2", len(issued))
	}
	if revoked := r.keys(KeyRevoked); len(revoked) != 1 {
		t.Errorf("%d revoked keys, want 1", len(revoked))
	}
}

// Without another free room the guest stays, and the front desk is told.
func TestMove_noAlternative(t *testing.T) {
	t.Parallel()
	c := openDeskTest(t)
	c.checkIn()
	outOfOrder := Room{ID: id.New[id.Room](), Type: c.rooms[0].Type, OutOfOrder: &OutOfOrder{From: c.r.Stay.Start, Until: c.r.Stay.End}}
	c.rooms = append(c.rooms, outOfOrder)
	m, o := c.outage()
	var counts observe.Counts
	unmoved, err := m.Move(observe.WithCounts(t.Context(), &counts), id.New[id.Event](), o)
	if err != nil {
		t.Fatal(err)
	}
	if unmoved != 1 {
		t.Errorf("Move() = %d, want 1", unmoved)
	}
	if got := counts[observe.RoomsWithoutAlternative].Load(); got != 1 {
		t.Errorf("rooms without alternative = %d, want 1", got)
	}
	if r := c.stored(); len(r.Modified) != 0 {
		t.Errorf("modifications = %v, want none", r.Modified)
	}
}

// A guest who has the room at another time is not concerned.
func TestMove_otherNights(t *testing.T) {
	t.Parallel()
	c := openDeskTest(t)
	c.checkIn()
	m, o := c.outage()
	o.Period = OutOfOrder{From: c.r.Stay.End, Until: c.r.Stay.End.AddDays(3)}
	if unmoved, err := m.Move(t.Context(), id.New[id.Event](), o); err != nil || unmoved != 0 {
		t.Errorf("Move() = %d, %v; want 0", unmoved, err)
	}
}
