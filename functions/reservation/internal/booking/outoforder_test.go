package booking

import (
	"context"
	"testing"
	"time"

	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/fn/observe"
)

// outage takes the room of the first item out of order during the stay.
func (c *deskTest) outage() (m *Mover, o Outage) {
	c.t.Helper()
	m = OpenMover(c.db.Env(), Upstreams{Inventory: c.fakeInventory, Payments: newFakePayments()})
	m.changer = c.changer
	m.local = func(context.Context, id.Tenant, id.Property) (Local, error) { return aBasis().Local, nil }
	m.settings = func(context.Context, id.Tenant) Settings { return aBasis().Settings }
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
	o.Period.From = c.r.Stay.Start
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
	c.now = c.now.AddDate(0, 0, 1) // the outage has begun
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

// A guest keeps the room until the outage begins. Then the sweep moves the guest, also from a room that was not free before.
func TestMove_outageLater(t *testing.T) {
	t.Parallel()
	c := openDeskTest(t)
	c.checkIn()
	free := Room{ID: id.New[id.Room](), Type: c.rooms[0].Type, Number: "201"}
	c.rooms = append(c.rooms, free)
	m, o := c.outage()
	if unmoved, err := m.Move(t.Context(), id.New[id.Event](), o); err != nil || unmoved != 0 {
		t.Fatalf("Move() = %d, %v; want 0", unmoved, err)
	}
	for _, step := range []struct {
		name string
		at   time.Time
		want id.Room
	}{
		{"in the night before", time.Date(2026, 12, 2, 1, 29, 0, 0, time.UTC), o.Room}, // 05:59
		{"as the business date begins", time.Date(2026, 12, 2, 1, 30, 0, 0, time.UTC), free.ID},
		{"again", time.Date(2026, 12, 2, 2, 0, 0, 0, time.UTC), free.ID},
	} {
		t.Run(step.name, func(t *testing.T) {
			c.now = step.at
			if err := m.Sweep(t.Context(), o); err != nil {
				t.Fatalf("Sweep() = %v", err)
			}
			if got := *c.stored().Items[0].Room; got != step.want {
				t.Errorf("the guest has room %v, want %v", got, step.want)
			}
		})
	}
	if got := len(c.stored().Modified); got != 1 {
		t.Errorf("%d modifications, want 1", got)
	}
}

// A room that goes out of order at 00:20 is found although the guest's last night has the date of the day before.
func TestMove_runningNight(t *testing.T) {
	t.Parallel()
	c := openDeskTest(t)
	c.checkIn()
	m, o := c.outage()
	c.now = time.Date(2026, 12, 2, 19, 50, 0, 0, time.UTC) // 00:20 on the day of departure
	o.At, o.Period.From = c.now, c.r.Stay.End
	if unmoved, err := m.Move(t.Context(), id.New[id.Event](), o); err != nil || unmoved != 1 {
		t.Errorf("Move() = %d, %v; want 1", unmoved, err)
	}
	c.rooms = append(c.rooms, Room{ID: id.New[id.Room](), Type: c.rooms[0].Type, Number: "201"})
	if err := m.Sweep(t.Context(), Outage{Tenant: o.Tenant, Property: o.Property, Room: o.Room, Period: OutOfOrder{From: c.r.Stay.End.AddDays(-1), Until: o.Period.Until}}); err != nil {
		t.Fatal(err)
	}
	if got := *c.stored().Items[0].Room; got == o.Room {
		t.Error("the guest still has the room")
	}
}
