package booking

import (
	"cmp"
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"melmastoon.ghasi.io/functions/reservation/internal/access"
	"melmastoon.ghasi.io/functions/reservation/internal/quotes"
	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/testkit/pgtest"
)

// missed is the end of the grace after the arrival day of aHeld: six in the morning in Kabul.
var missed = time.Date(2037, 12, 2, 1, 30, 0, 0, time.UTC)

// arrive checks the guests of some items in, each into the room at the same index.
func (c *deskTest) arrive(items ...int) (*Reservation, error) {
	desk := &Receptionist{reservations: c.changer.reservations, rooms: c.changer.rooms, keys: c.changer.keys}
	var rooms []AssignedRoom
	for _, i := range items {
		rooms = append(rooms, AssignedRoom{Item: c.r.Items[i].ID, Room: c.rooms[i].ID})
	}
	return desk.CheckIn(c.t.Context(), c.call(id.Request{}).Principal, c.r.ID, rooms, c.now, func(int64) bool { return true })
}

// arriveFirst checks the guests of the first item in on the arrival day.
func (c *deskTest) arriveFirst() {
	c.t.Helper()
	c.now = arrival
	if _, err := c.arrive(0); err != nil {
		c.t.Fatal(err)
	}
}

// sweep gives the expected rooms up if they are overdue.
func (c *deskTest) sweep() error {
	_, _, _, err := c.changer.MissRooms(c.t.Context(), SweptRooms(c.r), MissBySweep()) //nolint:dogsled // only the error matters
	return err
}

// wantEvents requires the events after the confirmation.
func (c *deskTest) wantEvents(want ...string) {
	c.t.Helper()
	if got := published(c.t, c.db, c.r)[2:]; !slices.Equal(got, want) {
		c.t.Errorf("events = %v, want %v", got, want)
	}
}

// The first guests check the reservation in, and only they get keys. The others follow, also after midnight.
func TestArrivals(t *testing.T) {
	t.Parallel()
	c := openDeskTest(t)
	c.arriveFirst()
	r := c.stored()
	if r.Items[0].ArrivedAt == nil || r.Items[1].ArrivedAt != nil {
		t.Errorf("arrivals = %v and %v, want the first only", r.Items[0].ArrivedAt, r.Items[1].ArrivedAt)
	}
	if len(r.Keys) != 1 || r.Keys[0].Item != r.Items[0].ID {
		t.Errorf("keys = %v, want one of the first item", r.Keys)
	}
	if due, err := c.changer.reservations.Arrivals(t.Context(), access.Scope{Tenant: r.Tenant}, r.Property, r.Stay.Start, Page{Limit: 10}); err != nil || len(due) != 1 {
		t.Errorf("Arrivals() = %d, %v, want the reservation", len(due), err)
	}
	c.now = missed.Add(-time.Second)
	r, err := c.arrive(1)
	if err != nil {
		t.Fatal(err)
	}
	if r.State != CheckedIn || r.Saga.Pending != "" {
		t.Errorf("the others: state %s, step %q", r.State, r.Saga.Pending)
	}
	if got := r.keys(KeyIssued); len(got) != 2 {
		t.Errorf("issued keys = %v, want two", got)
	}
	if again, err := c.arrive(0, 1); err != nil || again.Version != r.Version {
		t.Errorf("again: version %d, %v, want %d", again.Version, err, r.Version)
	}
	if due, err := c.changer.reservations.Arrivals(t.Context(), access.Scope{Tenant: r.Tenant}, r.Property, r.Stay.Start, Page{Limit: 10}); err != nil || len(due) != 0 {
		t.Errorf("Arrivals() = %d, %v, want none", len(due), err)
	}
	c.wantEvents("check_in_started", "checked_in", "items_checked_in")
}

func TestArrivals_refused(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name string
		do   func(*deskTest) error
		want error
	}{
		{"another room of guests who have arrived", func(c *deskTest) error {
			c.rooms[0].ID = id.New[id.Room]()
			_, err := c.arrive(0)
			return err
		}, ErrIllegalTransition},
		{"the room of guests who have arrived", func(c *deskTest) error {
			c.rooms[1].ID = c.rooms[0].ID
			_, err := c.arrive(1)
			return err
		}, ErrRoomUnavailable},
		{"after the check-out time", func(c *deskTest) error {
			c.now = c.r.checkOutUntil()
			_, err := c.arrive(1)
			return err
		}, ErrIllegalTransition},
		{"a check-out", func(c *deskTest) error {
			_, err := c.stored().Leave(LeaveWish{}, c.now)
			return err
		}, ErrGuestsExpected},
		{"a no-show before its time", func(c *deskTest) error {
			_, _, _, err := c.changer.MissRooms(c.t.Context(), c.call(id.New[id.Request]()), MissWish{})
			return err
		}, fault.ErrForbidden},
		{"the removal of guests who have arrived", func(c *deskTest) error {
			_, _, err := c.changer.Change(c.t.Context(), c.call(id.New[id.Request]()), c.changer.Remove(c.r.Items[0].ID))
			return err
		}, ErrIllegalTransition},
		{"a cancellation", func(c *deskTest) error {
			return c.stored().CancelOnWish(CancelWish{Code: GuestCancelled}, c.now)
		}, ErrIllegalTransition},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			c := openDeskTest(t)
			c.arriveFirst()
			if err := test.do(c); !errors.Is(err, test.want) {
				t.Errorf("error = %v, want %v", err, test.want)
			}
			c.wantEvents("check_in_started", "checked_in")
		})
	}
}

// No guest of a reservation that was cancelled in the meantime can check in.
func TestArrivals_cancelled(t *testing.T) {
	t.Parallel()
	c := openDeskTest(t)
	r := c.stored()
	if err := r.CancelOnWish(CancelWish{Code: GuestCancelled, By: access.Actor{Type: access.Staff, ID: "usr_desk"}}, noon); err != nil {
		t.Fatal(err)
	}
	if err := save(t, c.changer.reservations, r, ReservationCancelled(r)); err != nil {
		t.Fatal(err)
	}
	c.now = arrival
	if _, err := c.arrive(0); !errors.Is(err, ErrIllegalTransition) {
		t.Errorf("error = %v, want %v", err, ErrIllegalTransition)
	}
	c.wantEvents("cancelled")
}

// Several desks check in the same and different items at once.
func TestArrivals_concurrent(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	for range 5 {
		c := deskOn(t, db)
		c.now = arrival
		var group sync.WaitGroup
		for _, items := range [][]int{{0}, {0}, {1}, {0, 1}} {
			group.Go(func() {
				if _, err := c.arrive(items...); err != nil && fault.From(err).Kind != fault.Unavailable {
					t.Errorf("items %v: %v", items, err)
				}
			})
		}
		group.Wait()
		r, err := c.arrive(0, 1)
		if err != nil {
			t.Fatal(err)
		}
		if r.State != CheckedIn || len(r.expected()) > 0 || len(r.keys(KeyIssued)) != 2 {
			t.Errorf("state %s, expected %v, keys %v", r.State, r.expected(), r.Keys)
		}
		started := 0
		for _, subject := range published(t, db, c.r) {
			if subject == "check_in_started" {
				started++
			}
		}
		if started != 1 {
			t.Errorf("the check-in started %d times, want once", started)
		}
	}
}

// Without the lock service the others are in the house all the same. Their keys follow, or the desk hands them out.
func TestArrivals_lockAway(t *testing.T) {
	t.Parallel()
	c := openDeskTest(t)
	c.arriveFirst()
	c.locks.err = errors.New("the lock service is away")
	r, err := c.arrive(1)
	if err != nil {
		t.Fatal(err)
	}
	if r.State != CheckedIn || r.Saga.Pending != AwaitKeys {
		t.Errorf("state %s, step %q, want %s waiting for keys", r.State, r.Saga.Pending, CheckedIn)
	}
	if err := c.changer.keys.GiveUp(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	if r := c.stored(); !r.CheckIn.ManualKey || r.Saga.Pending != "" {
		t.Errorf("manual key = %v, step %q, want a manual key", r.CheckIn.ManualKey, r.Saga.Pending)
	}
	c.wantEvents("check_in_started", "checked_in", "items_checked_in")
}

// The check-in completes with the first guests, and the others are not checked in twice: also if they come before the keys, and even in the
// same millisecond.
func TestArrivals_beforeTheKeys(t *testing.T) {
	t.Parallel()
	for _, later := range []time.Duration{0, time.Minute} {
		t.Run(later.String(), func(t *testing.T) {
			t.Parallel()
			c := openDeskTest(t)
			c.locks.err = errors.New("the lock service is away")
			c.arriveFirst()
			c.now = c.now.Add(later)
			if _, err := c.arrive(1); err != nil {
				t.Fatal(err)
			}
			c.locks.err = nil
			if _, err := c.changer.keys.Ask(t.Context(), access.Scope{Tenant: c.r.Tenant}, c.r.ID); err != nil {
				t.Fatal(err)
			}
			c.wantEvents("check_in_started", "items_checked_in", "checked_in")
			r := c.stored()
			first := AssignedRoom{r.Items[0].ID, c.rooms[0].ID}
			if got := GuestCheckedIn(r).Payload.(checkedIn); !slices.Equal(got.Rooms, []AssignedRoom{first}) || len(got.Keys) != 1 {
				t.Errorf("checked_in has the rooms %v and keys %v, want %v and one", got.Rooms, got.Keys, first)
			}
			if got := r.keys(KeyIssued); len(got) != 2 {
				t.Errorf("issued keys = %v, want two", got)
			}
		})
	}
}

// While the lock service is away, the guests who come do not delay the manual keys of those before.
func TestArrivals_attempts(t *testing.T) {
	t.Parallel()
	c := openDeskTest(t)
	c.locks.err = errors.New("the lock service is away")
	c.arriveFirst()
	w := &Watcher{reservations: c.changer.reservations, keys: c.changer.keys, now: c.changer.now}
	since := *c.stored().Saga.Since
	retry := func() {
		t.Helper()
		if err := w.Retry(t.Context(), StuckStep{Tenant: c.r.Tenant, Reservation: c.r.ID, Since: since}); err != nil {
			t.Fatal(err)
		}
	}
	for range maxStepAttempts {
		retry()
	}
	c.now = c.now.Add(5 * time.Minute)
	if _, err := c.arrive(1); err != nil {
		t.Fatal(err)
	}
	if got := c.stored().Saga; got.Attempts != maxStepAttempts || !got.Since.Equal(since) {
		t.Errorf("%d attempts since %v, want %d since %v", got.Attempts, got.Since, maxStepAttempts, since)
	}
	retry()
	if r := c.stored(); r.State != CheckedIn || !r.CheckIn.ManualKey || r.Saga.Pending != "" {
		t.Errorf("state %s, manual key = %v, step %q, want a manual key", r.State, r.CheckIn.ManualKey, r.Saga.Pending)
	}
}

// A plan that the previous version of the code has stored again has no arrivals. Only the return to Confirmed undoes them.
func TestArrivals_planWithout(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name string
		open func(testing.TB) *Reservation
		plan func(*Reservation) (*Plan, error)
		in   bool
	}{
		{"another channel", checkedInOne, func(r *Reservation) (*Plan, error) { return r.correctChannel(OTA, "ota-1", "typed wrong") }, true},
		{"the return to the house", checkedOutOne, func(r *Reservation) (*Plan, error) {
			return r.override(id.New[id.Request](), CheckedIn, "left by mistake", *r.CheckOut.At)
		}, true},
		{"the return to Confirmed", aCheckInStarted, func(r *Reservation) (*Plan, error) {
			return r.override(id.New[id.Request](), Confirmed, "another guest", arrival)
		}, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			r := test.open(t)
			p, err := test.plan(r)
			if err != nil {
				t.Fatal(err)
			}
			for i := range p.Reserved.Items {
				p.Reserved.Items[i].ArrivedAt = nil
			}
			if err := r.apply(p, arrival); err != nil {
				t.Fatal(err)
			}
			for _, item := range r.Items {
				if got := item.ArrivedAt != nil; got != test.in {
					t.Errorf("item %s has arrived: %v, want %v", item.ID, got, test.in)
				}
			}
		})
	}
}

// The failed key of a room does not end the wait for the key of another.
func TestArrivals_keyOfOtherRoom(t *testing.T) {
	t.Parallel()
	r := aCheckInStarted(t)
	failed := r.Keys[0]
	failed.Status = KeyFailed
	if _, err := r.SetKey(failed); err != nil {
		t.Fatal(err)
	}
	if done, err := r.FinishKeys(arrival); err != nil || !done || r.Saga.Pending != AwaitKeys {
		t.Errorf("FinishKeys() = %v, %v, waits for %q, want %q", done, err, r.Saga.Pending, AwaitKeys)
	}
}

// The rooms of guests who do not come are released, and cost what the policy keeps of a no-show.
func TestMissRooms(t *testing.T) {
	t.Parallel()
	all := 100
	nothing := func(Item) money.Micro { return 0 }
	firstNight := func(i Item) money.Micro { return i.Nights[0].Amount }
	everything := func(i Item) money.Micro { return i.Total }
	for _, test := range []struct {
		name    string
		policy  quotes.Policy
		wish    MissWish
		at      time.Time
		penalty func(Item) money.Micro
	}{
		{"free", quotes.Policy{Ref: "p"}, MissWish{}, missed, nothing},
		{"the first night", quotes.Policy{Ref: "p", NoShowNights: 1}, MissWish{}, missed, firstNight},
		{"all of it", quotes.Policy{Ref: "p", NoShowPercent: &all}, MissBySweep(), missed, everything},
		{"a manager before the time", quotes.Policy{Ref: "p", NoShowNights: 1}, MissWish{Manager: true}, arrival, firstNight},
		{"waived", quotes.Policy{Ref: "p", NoShowNights: 1}, MissWish{Manager: true, Waive: true}, missed, nothing},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			c := openDeskTest(t)
			r := c.stored()
			r.Items[1].Policy, r.unsaved.items = test.policy, true
			r.Version++
			if err := save(t, c.changer.reservations, r); err != nil {
				t.Fatal(err)
			}
			c.arriveFirst()
			c.now = test.at
			c.db.Advance(test.at.Sub(c.db.Env().Now()))
			expected, total := r.Items[1], r.Total
			want := test.penalty(expected)
			call := c.call(id.New[id.Request]())
			test.wish.By = cmp.Or(test.wish.By, call.Actor)
			call.DryRun = true
			dry, applied, refunds, err := c.changer.MissRooms(t.Context(), call, test.wish)
			if err != nil {
				t.Fatal(err)
			}
			if len(dry.Items) != 2 || applied.Penalty != want {
				t.Errorf("a dry run: %d items, penalty %d, want 2 and %d", len(dry.Items), applied.Penalty, want)
			}
			call.DryRun = false
			r, done, requested, err := c.changer.MissRooms(t.Context(), call, test.wish)
			if err != nil {
				t.Fatal(err)
			}
			if done != applied || len(requested) != len(refunds) {
				t.Errorf("%+v and %v, want those of the dry run, %+v and %v", done, requested, applied, refunds)
			}
			if r.State != CheckedIn || len(r.Items) != 1 || r.Total != total-expected.Total+want {
				t.Errorf("state %s, %d items, total %d, want %s, 1 and %d", r.State, len(r.Items), r.Total, CheckedIn, total-expected.Total+want)
			}
			if back := r.Payment.kept(); back != r.Total || applied.Eligible != expected.Total-want {
				t.Errorf("kept %d, refunded %d, want %d and %d", back, applied.Eligible, r.Total, expected.Total-want)
			}
			if !c.fakeInventory.taken[c.r.Hold.Allocations[1]].released {
				t.Error("the room is not released")
			}
			if again, repeated, _, err := c.changer.MissRooms(t.Context(), call, test.wish); err != nil || again.Version != r.Version || repeated != done {
				t.Errorf("again: version %d, %+v, %v, want %d and %+v", again.Version, repeated, err, r.Version, done)
			}
			if events, err := c.stored().Leave(LeaveWish{}, c.now); err != nil || len(events) != 1 {
				t.Errorf("the check-out of the others: %v, %v", events, err)
			}
			c.wantEvents("check_in_started", "checked_in", "modified")
		})
	}
}

// Guests who come while the sweep gives their room up are either in the house, or have no room.
func TestMissRooms_race(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	for range 5 {
		c := deskOn(t, db)
		c.arriveFirst()
		c.now = missed
		db.Advance(missed.Sub(db.Env().Now()))
		var group sync.WaitGroup
		var late, swept error
		group.Go(func() { _, late = c.arrive(1) })
		group.Go(func() { swept = Again(t.Context(), c.sweep) })
		group.Wait()
		r := c.stored()
		if in := len(r.Items) == 2; in != (late == nil) || swept != nil {
			t.Errorf("%d items after a check-in (%v) and a sweep (%v)", len(r.Items), late, swept)
		}
		if len(r.expected()) > 0 || c.fakeInventory.taken[c.r.Hold.Allocations[1]].released != (late != nil) {
			t.Errorf("expected %v; a check-in: %v", r.expected(), late)
		}
	}
}

// The sweep finds the reservation once its time has come, and the room of the guests who did not come is free for others.
func TestMissRooms_sweep(t *testing.T) {
	t.Parallel()
	c := openDeskTest(t)
	act := id.New[id.Request]()
	room := RoomMove{Item: c.r.Items[1].ID, Room: &c.rooms[1].ID}
	if _, _, err := c.changer.Change(t.Context(), c.call(act), c.changer.Room(act, room)); err != nil {
		t.Fatal(err)
	}
	c.arriveFirst()
	if r := c.stored(); r.Overdue(missed.Add(-time.Second)) || !r.Overdue(missed) {
		t.Errorf("Overdue() = %v before and %v at the time", r.Overdue(missed.Add(-time.Second)), r.Overdue(missed))
	}
	c.db.Advance(missed.Sub(c.db.Env().Now()))
	c.now = missed
	if due, err := c.changer.reservations.Awaited(t.Context(), Candidate{}, 10); err != nil || len(due) != 1 || due[0].Reservation != c.r.ID {
		t.Errorf("Awaited() = %v, %v, want the reservation", due, err)
	}
	if err := c.sweep(); err != nil {
		t.Fatal(err)
	}
	if due, err := c.changer.reservations.Awaited(t.Context(), Candidate{}, 10); err != nil || len(due) != 0 {
		t.Errorf("Awaited() = %v, %v, want none", due, err)
	}
	other := aStoredBooking(t, c.db, c.r.Tenant)
	other.Items[1].RoomType, other.Stay.Start = c.r.Items[1].RoomType, other.Stay.Start.AddDays(1)
	if _, err := other.StartCheckIn([]AssignedRoom{{other.Items[1].ID, c.rooms[1].ID}}, c.rooms, access.Actor{Type: access.Staff, ID: "usr_desk"}, missed); err != nil {
		t.Fatal(err)
	}
	if err := save(t, c.changer.reservations, other, CheckInBegun(other)); err != nil {
		t.Errorf("the room for the next guest: %v", err)
	}
}

// A room assigned in advance of guests who are still expected does not keep the others out while its last guest has not left.
func TestArrivals_assignedInAdvance(t *testing.T) {
	t.Parallel()
	c := openDeskTest(t)
	before := aStoredBooking(t, c.db, c.r.Tenant)
	before.Items[1].RoomType = c.r.Items[1].RoomType
	before.Stay.Start, before.Stay.End = before.Stay.Start.AddDays(-1), before.Stay.Start
	if _, err := before.StartCheckIn([]AssignedRoom{{before.Items[1].ID, c.rooms[1].ID}}, c.rooms, access.Actor{Type: access.Staff, ID: "usr_desk"},
		arrival.AddDate(0, 0, -1)); err != nil {
		t.Fatal(err)
	}
	if err := save(t, c.changer.reservations, before, CheckInBegun(before)); err != nil {
		t.Fatal(err)
	}
	act := id.New[id.Request]()
	if _, _, err := c.changer.Change(t.Context(), c.call(act), c.changer.Room(act, RoomMove{Item: c.r.Items[1].ID, Room: &c.rooms[1].ID})); err != nil {
		t.Fatal(err)
	}
	c.arriveFirst()
	if _, err := c.arrive(1); !errors.Is(err, ErrRoomUnavailable) {
		t.Errorf("while the last guest has the room: %v, want %v", err, ErrRoomUnavailable)
	}
}

// A change in the house gives no key to guests who are expected, and needs no room for them.
func TestArrivals_changes(t *testing.T) {
	t.Parallel()
	c := openDeskTest(t)
	c.arriveFirst()
	act := id.New[id.Request]()
	r, _, err := c.changer.Change(t.Context(), c.call(act), c.changer.Room(act, RoomMove{Item: c.r.Items[1].ID, Room: &c.rooms[1].ID}))
	if err != nil || len(r.Keys) != 1 || r.Saga.Pending != "" {
		t.Errorf("a room in advance: keys %v, step %q, %v", r.Keys, r.Saga.Pending, err)
	}
	act = id.New[id.Request]()
	r, _, err = c.changer.Change(t.Context(), c.call(act), c.changer.Dates(act, c.stay("2037-12-01", "2037-12-04")))
	if err != nil || slices.ContainsFunc(r.Keys, func(k Key) bool { return k.Item == c.r.Items[1].ID }) {
		t.Errorf("another date: keys %v, %v", r.Keys, err)
	}
	act = id.New[id.Request]()
	r, m, err := c.changer.Change(t.Context(), c.call(act), c.changer.Remove(c.r.Items[1].ID))
	if err != nil || len(r.Items) != 1 || m.Type != RoomRemoved {
		t.Errorf("a removal: %d items, %s, %v", len(r.Items), m.Type, err)
	}
	if got := c.stored(); len(got.Rooms()) != 1 || got.Saga.Pending != "" {
		t.Errorf("rooms %v, step %q, want one and none", got.Rooms(), got.Saga.Pending)
	}
}

// A check-in by the previous version of the code is of all rooms, although it recorded no arrival.
func TestArrivals_previousVersion(t *testing.T) {
	t.Parallel()
	c := openDeskTest(t)
	c.checkIn()
	if _, err := c.db.Owner(t).Exec(t.Context(), `UPDATE reservation.reservation_items SET arrived_at = NULL WHERE reservation_id = $1`, c.r.ID); err != nil {
		t.Fatal(err)
	}
	r := c.stored()
	if len(r.expected()) > 0 || r.Overdue(missed) || r.Items[1].ArrivedAt == nil {
		t.Errorf("expected = %v, want none", r.expected())
	}
}
