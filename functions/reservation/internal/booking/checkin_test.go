package booking

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"testing"
	"time"

	"melmastoon.ghasi.io/functions/reservation/internal/access"
	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/id"
)

func TestStartCheckIn_rooms(t *testing.T) {
	t.Parallel()
	outOfOrder := func(from, until string) func(*testing.T, []Room) {
		return func(t *testing.T, of []Room) {
			t.Helper()
			of[0].OutOfOrder = &OutOfOrder{From: night(t, from), Until: night(t, until)}
		}
	}
	keep := func(rooms []AssignedRoom) []AssignedRoom { return rooms }
	usable := func(*testing.T, []Room) {}
	for _, test := range []struct {
		name   string
		at     time.Time
		of     func(*testing.T, []Room)
		assign func([]AssignedRoom) []AssignedRoom
		want   error
	}{
		{"one for every item", arrival, usable, keep, nil},
		{"in another order", arrival, usable, func(rooms []AssignedRoom) []AssignedRoom { return []AssignedRoom{rooms[1], rooms[0]} }, nil},
		{"no room", arrival, usable, func([]AssignedRoom) []AssignedRoom { return nil }, fault.ErrValidation},
		{"one item without", arrival, usable, func(rooms []AssignedRoom) []AssignedRoom { return rooms[:1] }, nil},
		{"one item twice", arrival, usable, func(rooms []AssignedRoom) []AssignedRoom { return []AssignedRoom{rooms[0], rooms[0]} }, fault.ErrValidation},
		{"an item too many", arrival, usable, func(rooms []AssignedRoom) []AssignedRoom { return append(rooms, rooms[0]) }, fault.ErrValidation},
		{"an item of another reservation", arrival, usable, func(rooms []AssignedRoom) []AssignedRoom {
			return []AssignedRoom{rooms[0], {id.New[id.Item](), rooms[1].Room}}
		}, fault.ErrValidation},
		{"a room of another property", arrival, usable, func(rooms []AssignedRoom) []AssignedRoom {
			return []AssignedRoom{rooms[0], {rooms[1].Item, id.New[id.Room]()}}
		}, ErrRoomUnavailable},
		{"a room of another type", arrival, usable, func(rooms []AssignedRoom) []AssignedRoom {
			return []AssignedRoom{{rooms[0].Item, rooms[1].Room}, {rooms[1].Item, rooms[0].Room}}
		}, ErrRoomUnavailable},
		{"out of order in the first night", arrival, outOfOrder("2037-12-01", "2037-12-02"), keep, ErrRoomUnavailable},
		{"out of order in the last night", arrival, outOfOrder("2037-12-02", "2037-12-05"), keep, ErrRoomUnavailable},
		{"out of order from the departure on", arrival, outOfOrder("2037-12-03", "2037-12-05"), keep, nil},
		{"out of order until the arrival", arrival, outOfOrder("2037-11-20", "2037-12-01"), keep, nil},
		{"out of order in a night that has passed", arrival.AddDate(0, 0, 1), outOfOrder("2037-11-20", "2037-12-02"), keep, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			r := confirmedOne(t)
			of, rooms := roomsFor(r)
			test.of(t, of)
			started, err := r.StartCheckIn(test.assign(rooms), of, access.Actor{Type: access.Staff, ID: "usr_desk"}, test.at)
			if !errors.Is(err, test.want) {
				t.Errorf("StartCheckIn() error = %v, want %v", err, test.want)
			}
			if started != (test.want == nil) {
				t.Errorf("StartCheckIn() = %v, want %v", started, test.want == nil)
			}
		})
	}
}

// Of two items of one type, only one can have a room.
func TestStartCheckIn_oneRoom(t *testing.T) {
	t.Parallel()
	r := confirmedOne(t)
	r.Items[1].RoomType = r.Items[0].RoomType
	of, rooms := roomsFor(r)
	rooms[1].Room = rooms[0].Room
	if _, err := r.StartCheckIn(rooms, of, access.Actor{Type: access.Staff, ID: "usr_desk"}, arrival); !errors.Is(err, ErrRoomUnavailable) {
		t.Errorf("StartCheckIn() error = %v, want %v", err, ErrRoomUnavailable)
	}
}

// The check-in is possible from the business date of the arrival until the check-out time of the day of departure.
func TestStartCheckIn_time(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		zone   string
		start  string
		nights int
		from   time.Time // 06:00 on the arrival day
		hour   time.Time // 14:00 on it
		end    time.Time // 12:00 on the day of departure
	}{
		{"Asia/Kabul", "2037-12-01", 2, time.Date(2037, 12, 1, 1, 30, 0, 0, time.UTC), time.Date(2037, 12, 1, 9, 30, 0, 0, time.UTC), time.Date(2037, 12, 3, 7, 30, 0, 0, time.UTC)},
		{"Asia/Kabul", "2037-12-01", 1, time.Date(2037, 12, 1, 1, 30, 0, 0, time.UTC), time.Date(2037, 12, 1, 9, 30, 0, 0, time.UTC), time.Date(2037, 12, 2, 7, 30, 0, 0, time.UTC)},
		{"Asia/Tehran", "2037-12-01", 1, time.Date(2037, 12, 1, 2, 30, 0, 0, time.UTC), time.Date(2037, 12, 1, 10, 30, 0, 0, time.UTC), time.Date(2037, 12, 2, 8, 30, 0, 0, time.UTC)},
		{"Asia/Karachi", "2037-12-01", 1, time.Date(2037, 12, 1, 1, 0, 0, 0, time.UTC), time.Date(2037, 12, 1, 9, 0, 0, 0, time.UTC), time.Date(2037, 12, 2, 7, 0, 0, 0, time.UTC)},
		// The clocks go back on 1 November, and forward on 14 March.
		{"America/New_York", "2037-10-31", 2, time.Date(2037, 10, 31, 10, 0, 0, 0, time.UTC), time.Date(2037, 10, 31, 18, 0, 0, 0, time.UTC), time.Date(2037, 11, 2, 17, 0, 0, 0, time.UTC)},
		{"America/New_York", "2038-03-13", 1, time.Date(2038, 3, 13, 11, 0, 0, 0, time.UTC), time.Date(2038, 3, 13, 19, 0, 0, 0, time.UTC), time.Date(2038, 3, 14, 16, 0, 0, 0, time.UTC)},
	} {
		t.Run(fmt.Sprint(test.zone, " ", test.start, " ", test.nights), func(t *testing.T) {
			t.Parallel()
			for _, step := range []struct {
				name  string
				at    time.Time
				want  error
				early bool
			}{
				{"before the business date of the arrival", test.from.Add(-time.Second), ErrBeforeArrival, false},
				{"as it begins", test.from, nil, true},
				{"before the check-in time", test.hour.Add(-time.Second), nil, true},
				{"at the check-in time", test.hour, nil, false},
				{"after the check-in time", test.hour.Add(time.Second), nil, false},
				{"in the night before the departure", test.end.Add(-11*time.Hour - 40*time.Minute), nil, false},
				{"a minute before the check-out time", test.end.Add(-time.Minute), nil, false},
				{"at the check-out time", test.end, ErrIllegalTransition, false},
			} {
				t.Run(step.name, func(t *testing.T) {
					r := confirmedOne(t)
					r.Local.TimeZone, r.Stay.Start = test.zone, night(t, test.start)
					r.Stay.End = r.Stay.Start.AddDays(test.nights)
					before := *r
					of, rooms := roomsFor(r)
					started, err := r.StartCheckIn(rooms, of, access.Actor{Type: access.Staff, ID: "usr_desk"}, step.at)
					if !errors.Is(err, step.want) || started != (step.want == nil) {
						t.Errorf("%s: StartCheckIn() = %v, %v, want %v", step.name, started, err, step.want)
					}
					if err != nil && !reflect.DeepEqual(*r, before) {
						t.Errorf("%s: the reservation has changed", step.name)
					}
					if err == nil && r.CheckIn.Early != step.early {
						t.Errorf("%s: earlyCheckIn = %v, want %v", step.name, r.CheckIn.Early, step.early)
					}
				})
			}
		})
	}
}

func TestStartCheckIn_again(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name   string
		open   func(testing.TB) *Reservation
		others bool // asks for other rooms
		want   error
	}{
		{"the same rooms while keys are outstanding", aCheckInStarted, false, nil},
		{"the same rooms after the check-in", checkedInOne, false, nil},
		{"other rooms while keys are outstanding", aCheckInStarted, true, ErrIllegalTransition},
		{"other rooms after the check-in", checkedInOne, true, ErrIllegalTransition},
		{"the same rooms once the check-out has started", checkoutStartedOne, false, ErrIllegalTransition},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			r := test.open(t)
			before, rooms := *r, r.Rooms()
			of, others := roomsFor(r)
			if test.others {
				rooms = others
			}
			started, err := r.StartCheckIn(rooms, of, access.Actor{Type: access.Staff, ID: "usr_other"}, arrival)
			if started || !errors.Is(err, test.want) {
				t.Errorf("StartCheckIn() = %v, %v, want false, %v", started, err, test.want)
			}
			if !reflect.DeepEqual(*r, before) {
				t.Error("the reservation has changed")
			}
		})
	}
}

// orders returns all orders of the numbers below n.
func orders(n int) (all [][]int) {
	if n == 0 {
		return [][]int{nil}
	}
	for _, shorter := range orders(n - 1) {
		for at := range n {
			all = append(all, slices.Insert(slices.Clone(shorter), at, n-1))
		}
	}
	return all
}

// Each report comes twice. The last outstanding one completes the check-in, whatever the order.
func TestSetKey_orders(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name    string
		reports [2]KeyStatus // of the keys of the two items
		manual  bool
		issued  int
	}{
		{"both issued", [2]KeyStatus{KeyIssued, KeyIssued}, false, 2},
		{"the first failed", [2]KeyStatus{KeyFailed, KeyIssued}, true, 1},
		{"the second failed", [2]KeyStatus{KeyIssued, KeyFailed}, true, 1},
		{"both failed", [2]KeyStatus{KeyFailed, KeyFailed}, true, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			for _, order := range orders(4) {
				r := aCheckInStarted(t)
				completed := 0
				for _, n := range order {
					report := r.Keys[n%2]
					report.Status = test.reports[n%2]
					if _, err := r.SetKey(report); err != nil {
						t.Fatal(err)
					}
					done, err := r.FinishKeys(arrival)
					if err != nil {
						t.Fatal(err)
					}
					if done {
						completed++
					}
				}
				if completed != 1 || r.State != CheckedIn {
					t.Errorf("order %v: completed %d times, state %s", order, completed, r.State)
				}
				if r.CheckIn.ManualKey != test.manual {
					t.Errorf("order %v: requiresManualKey = %v, want %v", order, r.CheckIn.ManualKey, test.manual)
				}
				if got := len(r.keys(KeyIssued)); got != test.issued {
					t.Errorf("order %v: %d issued keys, want %d", order, got, test.issued)
				}
				if r.Saga.Pending != "" {
					t.Errorf("order %v: pending step = %q, want none", order, r.Saga.Pending)
				}
			}
		})
	}
}

func TestSetKey(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name    string
		r       *Reservation
		report  func(*Reservation) Key
		changed bool
		want    error
	}{
		{"an outstanding key", aCheckInStarted(t), first(KeyIssued), true, nil},
		{"an outstanding key that failed", aCheckInStarted(t), first(KeyFailed), true, nil},
		{"an outstanding key that is still so", aCheckInStarted(t), first(KeyPending), false, nil},
		{"an issued key again", checkedInOne(t), first(KeyIssued), false, nil},
		{"an issued key that fails later", checkedInOne(t), first(KeyFailed), false, nil},
		{"a key issued on its own before the arrival", confirmedOne(t), own(KeyIssued), true, nil},
		{"a key issued on its own during the check-in", aCheckInStarted(t), own(KeyIssued), true, nil},
		{"a key issued on its own in the house", checkedInOne(t), own(KeyIssued), true, nil},
		{"a key that failed on its own", confirmedOne(t), own(KeyFailed), false, nil},
		{"a key of a hold", aHeld(t), own(KeyIssued), false, ErrIllegalTransition},
		{"a key of a cancelled reservation", cancelledOne(t), own(KeyIssued), false, ErrIllegalTransition},
		{"a key of a no-show", missedOne(t), own(KeyIssued), false, ErrIllegalTransition},
		{"a late key of a guest who has left", checkedOutOne(t), first(KeyIssued), false, ErrIllegalTransition},
		{"an unknown key of a guest who has left", checkedOutOne(t), own(KeyIssued), false, ErrIllegalTransition},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			version, report := test.r.Version, test.report(test.r)
			changed, err := test.r.SetKey(report)
			if changed != test.changed || !errors.Is(err, test.want) {
				t.Errorf("SetKey() = %v, %v, want %v, %v", changed, err, test.changed, test.want)
			}
			if got := test.r.Version != version; got != test.changed {
				t.Errorf("version has changed: %v, want %v", got, test.changed)
			}
			if test.changed && !slices.Contains(test.r.Keys, report) {
				t.Errorf("keys = %v, want %v among them", test.r.Keys, report)
			}
		})
	}
}

// first returns a report about the first key of a reservation.
func first(s KeyStatus) func(*Reservation) Key {
	return func(r *Reservation) Key {
		k := r.Keys[0]
		k.Status = s
		return k
	}
}

// own returns a report about a key that the reservation has not asked for.
func own(s KeyStatus) func(*Reservation) Key {
	return func(r *Reservation) Key {
		return Key{ID: id.New[id.KeyCredential](), Item: r.Items[0].ID, Room: id.New[id.Room](), Status: s}
	}
}

// The failed key of an earlier room says nothing about the new key.
func TestFinishKeys_earlierFailure(t *testing.T) {
	t.Parallel()
	r := checkedInOne(t)
	r.Keys[0].Status = KeyFailed
	r.wantKeys(arrival, r.Items[0].ID)
	if _, err := r.FinishKeys(arrival); err != nil {
		t.Fatal(err)
	}
	if r.Saga.Pending != AwaitKeys {
		t.Errorf("pending step = %q, want %q", r.Saga.Pending, AwaitKeys)
	}
	if r.CheckIn.ManualKey {
		t.Error("requiresManualKey = true, want false")
	}
	issued := r.Keys[len(r.Keys)-1]
	issued.Status = KeyIssued
	if _, err := r.SetKey(issued); err != nil {
		t.Fatal(err)
	}
	if done, err := r.FinishKeys(arrival); err != nil || done {
		t.Errorf("FinishKeys() = %v, %v, want false", done, err)
	}
	if r.Saga.Pending != "" {
		t.Errorf("pending step = %q, want none", r.Saga.Pending)
	}
}
