package booking

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"melmastoon.ghasi.io/functions/reservation/internal/quotes"
	"melmastoon.ghasi.io/functions/reservation/internal/quotestest"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/fn/observe"
)

// outage takes the room of the first item out of order during the stay.
func (c *deskTest) outage() (m *Mover, o Outage) {
	c.t.Helper()
	m = OpenMover(c.db.Env(), Upstreams{Inventory: c.fakeInventory, Payments: newFakePayments()})
	m.changer = c.changer
	m.basis = func(context.Context, id.Tenant, id.Property) (quotes.Basis, error) { return quotestest.Basis(), nil }
	m.rooms = func(context.Context, id.Tenant, id.Property) ([]Room, error) { return c.rooms, nil }
	r := c.stored()
	period := OutOfOrder{From: night(c.t, "2037-12-02"), Until: night(c.t, "2037-12-09")}
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
		{"in the night before", time.Date(2037, 12, 2, 1, 29, 0, 0, time.UTC), o.Room}, // 05:59
		{"as the business date begins", time.Date(2037, 12, 2, 1, 30, 0, 0, time.UTC), free.ID},
		{"again", time.Date(2037, 12, 2, 2, 0, 0, 0, time.UTC), free.ID},
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
	c.now = time.Date(2037, 12, 2, 19, 50, 0, 0, time.UTC) // 00:20 on the day of departure
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

// An outageTest is a guest in house from 1 to 7 December, in room 101 of the type. Rooms 201 and 202 are of the same type.
type outageTest struct {
	*deskTest
	m                  *Mover
	own, second, third Room
}

func openOutageTest(t *testing.T) *outageTest {
	t.Helper()
	c := openDeskTest(t)
	act := id.New[id.Request]()
	if _, _, err := c.changer.Change(t.Context(), c.call(act), c.changer.Dates(act, c.stay("2037-12-01", "2037-12-07"))); err != nil {
		t.Fatal(err)
	}
	c.checkIn()
	o := &outageTest{deskTest: c, own: c.rooms[0]}
	for _, number := range []string{"201", "202"} {
		c.rooms = append(c.rooms, Room{ID: id.New[id.Room](), Type: o.own.Type, Number: number})
	}
	o.second, o.third = c.rooms[2], c.rooms[3]
	o.m, _ = c.outage()
	return o
}

// outOf takes a room out of order.
func (o *outageTest) outOf(room Room, from, until string) {
	o.t.Helper()
	r := o.stored()
	out := Outage{Tenant: r.Tenant, Property: r.Property, Room: room.ID, Period: OutOfOrder{From: night(o.t, from), Until: night(o.t, until)}, At: o.now}
	if _, err := o.m.Move(o.t.Context(), id.New[id.Event](), out); err != nil {
		o.t.Fatal(err)
	}
}

// occupy lets another guest have a room.
func (o *outageTest) occupy(room Room, start, end string) {
	o.t.Helper()
	other := aStoredBooking(o.t, o.db, o.r.Tenant)
	_, err := o.db.Owner(o.t).Exec(o.t.Context(), `
		INSERT INTO reservation.room_nights (tenant_id, room_id, night, reservation_id, item_id)
		SELECT @tenant, @room, @start::date + n, @reservation, @item FROM generate_series(0, @end::date - @start::date - 1) AS n`,
		pgx.StrictNamedArgs{"tenant": o.r.Tenant, "room": room.ID, "start": start, "end": end, "reservation": other.ID, "item": other.Items[0].ID})
	if err != nil {
		o.t.Fatal(err)
	}
}

// at runs the sweep for this tenant at noon of a day, and returns the rooms of the item in each remaining night.
func (o *outageTest) at(day int) (rooms []string) {
	o.t.Helper()
	o.now = time.Date(2037, 12, day, 7, 30, 0, 0, time.UTC)
	o.db.Advance(o.now.Sub(o.db.Env().Now()))
	begun, err := o.m.reservations.BegunOutages(o.t.Context(), Outage{}, 100)
	if err != nil {
		o.t.Fatal(err)
	}
	for _, out := range begun {
		if err := o.m.Sweep(o.t.Context(), out); err != nil {
			o.t.Fatal(err)
		}
	}
	item := o.stored().Items[0]
	rows, _ := o.db.Owner(o.t).Query(o.t.Context(), `
		SELECT room_id FROM reservation.room_nights WHERE tenant_id = @tenant AND item_id = @item AND night >= @today ORDER BY night`,
		pgx.StrictNamedArgs{"tenant": o.r.Tenant, "item": item.ID, "today": fmt.Sprintf("2037-12-%02d", day)})
	ids, err := pgx.CollectRows(rows, pgx.RowTo[id.Room])
	if err != nil {
		o.t.Fatal(err)
	}
	if len(ids) > 0 && *item.Room != ids[0] {
		o.t.Errorf("on the %d. the guest has room %v and the night %v", day, *item.Room, ids[0])
	}
	for _, room := range ids {
		rooms = append(rooms, o.rooms[slices.IndexFunc(o.rooms, func(r Room) bool { return r.ID == room })].Number)
	}
	return rooms
}

// TestMove_nights moves a guest for the nights of outages. Each row names the rooms of the remaining nights by day.
func TestMove_nights(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name  string
		given func(*outageTest)
		want  map[int]string
	}{
		{"free_until_departure", func(o *outageTest) { o.outOf(o.own, "2037-12-03", "2037-12-05") },
			map[int]string{2: "101 101 101 101 101", 3: "201 201 201 201", 5: "201 201"}},
		{"booked_afterwards", func(o *outageTest) {
			o.occupy(o.second, "2037-12-05", "2037-12-09")
			o.occupy(o.third, "2037-12-03", "2037-12-04")
			o.outOf(o.own, "2037-12-03", "2037-12-05")
		}, map[int]string{3: "201 201 101 101", 4: "201 101 101", 5: "101 101", 6: "101"}},
		{"longer_than_stay", func(o *outageTest) { o.outOf(o.own, "2037-12-03", "2037-12-20") },
			map[int]string{3: "201 201 201 201", 6: "201"}},
		{"none_free", func(o *outageTest) {
			o.occupy(o.second, "2037-12-04", "2037-12-09")
			o.occupy(o.third, "2037-12-03", "2037-12-04")
			o.outOf(o.own, "2037-12-03", "2037-12-05")
		}, map[int]string{3: "101 101 101 101", 4: "202 202 202"}},
		{"outage_extended", func(o *outageTest) {
			o.occupy(o.second, "2037-12-05", "2037-12-09")
			o.occupy(o.third, "2037-12-03", "2037-12-05")
			o.outOf(o.own, "2037-12-03", "2037-12-05")
			o.outOf(o.own, "2037-12-05", "2037-12-06")
			o.rooms[0].OutOfOrder = &OutOfOrder{From: night(o.t, "2037-12-05"), Until: night(o.t, "2037-12-06")}
		}, map[int]string{3: "201 201 101 101", 5: "202 202", 6: "202"}},
		{"outage_extended_and_booked_afterwards", func(o *outageTest) {
			o.occupy(o.second, "2037-12-06", "2037-12-09")
			o.occupy(o.third, "2037-12-03", "2037-12-09")
			o.outOf(o.own, "2037-12-03", "2037-12-05")
			o.outOf(o.own, "2037-12-05", "2037-12-06")
			o.rooms[0].OutOfOrder = &OutOfOrder{From: night(o.t, "2037-12-05"), Until: night(o.t, "2037-12-06")}
		}, map[int]string{3: "201 201 101 101", 5: "201 101", 6: "101"}},
		{"other_room_too", func(o *outageTest) {
			o.occupy(o.second, "2037-12-05", "2037-12-09")
			o.occupy(o.third, "2037-12-03", "2037-12-04")
			o.occupy(o.third, "2037-12-05", "2037-12-09")
			o.outOf(o.own, "2037-12-03", "2037-12-05")
			o.outOf(o.second, "2037-12-04", "2037-12-05")
			o.rooms[0].OutOfOrder = &OutOfOrder{From: night(o.t, "2037-12-03"), Until: night(o.t, "2037-12-05")}
		}, map[int]string{3: "201 201 101 101", 4: "202 101 101", 5: "101 101"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			o := openOutageTest(t)
			test.given(o)
			for day := 2; day < 7; day++ {
				got := strings.Join(o.at(day), " ")
				if want, checked := test.want[day]; checked && got != want {
					t.Errorf("on the %d. the nights are in %s, want %s", day, got, want)
				}
			}
		})
	}
}

// A guest who moved for an outage extends the stay, and the next guest of the other room checks in on time.
func TestMove_extendedStay(t *testing.T) {
	t.Parallel()
	o := openOutageTest(t)
	o.occupy(o.second, "2037-12-05", "2037-12-09")
	o.occupy(o.third, "2037-12-03", "2037-12-04")
	o.outOf(o.own, "2037-12-03", "2037-12-05")
	o.at(3)
	act := id.New[id.Request]()
	if _, _, err := o.changer.Change(t.Context(), o.call(act), o.changer.Dates(act, o.stay("2037-12-01", "2037-12-09"))); err != nil {
		t.Fatal(err)
	}
	if got, want := strings.Join(o.at(4), " "), "201 101 101 101 101"; got != want {
		t.Errorf("the nights are in %s, want %s", got, want)
	}
	if got, want := strings.Join(o.at(5), " "), "101 101 101 101"; got != want {
		t.Errorf("after the outage the nights are in %s, want %s", got, want)
	}
	if got := len(o.stored().keys(KeyIssued)); got != 2 {
		t.Errorf("%d issued keys, want 2", got)
	}
}
