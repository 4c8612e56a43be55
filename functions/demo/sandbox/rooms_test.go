package sandbox_test

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"melmastoon.ghasi.io/functions/demo/sandbox/demo"
	"melmastoon.ghasi.io/functions/demo/sandbox/internal/directory"
	"melmastoon.ghasi.io/functions/demo/sandbox/internal/inventory"
	"melmastoon.ghasi.io/functions/demo/sandbox/listrooms"
	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/stay"
)

// suite returns one of Kabul's two physical suites.
func (b books) suite(t *testing.T, n int) directory.Room {
	t.Helper()
	all, err := directory.OpenRooms(b.env).Of(t.Context(), kabul.Property)
	if err != nil {
		t.Fatal(err)
	}
	all = slices.DeleteFunc(all, func(r directory.Room) bool { return r.RoomType != suites.ID })
	if len(all) != 2 {
		t.Fatalf("%d suites, want 2", len(all))
	}
	return all[n]
}

// out takes a room out of order.
func (b books) out(t *testing.T, room id.Room, w stay.Window) directory.Room {
	t.Helper()
	r, err := directory.OpenRooms(b.env).TakeOut(t.Context(), room, directory.Outage{From: w.Start, Until: w.End, ReasonCode: "maintenance"})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestRooms_ofProperty(t *testing.T) {
	t.Parallel()
	b := open(t)
	f := b.front(t)
	var list listrooms.Response
	f.Get("/sandbox/property/v1/properties/"+kabul.Property.String()+"/rooms").Into(t, &list)
	var numbers []string
	units := map[id.RoomType]int{}
	for _, r := range list.Rooms {
		numbers = append(numbers, r.Number)
		units[r.RoomType]++
	}
	want := "101 102 103 104 105 106 107 108 109 110 111 112 201 202 203 204 205 206 301 302"
	if got := strings.Join(numbers, " "); got != want {
		t.Errorf("numbers = %s, want %s", got, want)
	}
	for _, r := range kabul.Rooms {
		if units[r.ID] != r.Units {
			t.Errorf("%s: %d rooms, want %d", r.Name, units[r.ID], r.Units)
		}
	}
	if got, want := list.Rooms[0].ID, id.Derive[id.Room](kabul.Rooms[0].ID, "room 1"); got != want {
		t.Errorf("id of the first room = %s, want %s", got, want)
	}
	for path, status := range map[string]int{
		"/sandbox/property/v1/properties/" + id.New[id.Property]().String() + "/rooms": http.StatusNotFound,
		"/sandbox/property/v1/properties/none/rooms":                                   http.StatusNotFound,
	} {
		t.Run(fmt.Sprintf("%q", path), func(t *testing.T) {
			if got := f.Get(path); got.Status != status {
				t.Errorf("%s: status = %d, want %d", path, got.Status, status)
			}
		})
	}
}

func TestTakeRoomOut_lowersCapacityOnce(t *testing.T) {
	t.Parallel()
	b := open(t)
	first, second := b.suite(t, 0).ID, b.suite(t, 1).ID
	for _, step := range []struct {
		name string
		room id.Room
		w    stay.Window
		want []int // suites left on the nights 10 to 15
	}{
		{"three nights", first, b.nights(10, 3), []int{1, 1, 1, 2, 2, 2}},
		{"the same period", first, b.nights(10, 3), []int{1, 1, 1, 2, 2, 2}},
		{"an overlapping period", first, b.nights(12, 2), []int{1, 1, 1, 1, 2, 2}},
		{"the other room", second, b.nights(11, 4), []int{1, 0, 0, 0, 1, 2}},
	} {
		b.out(t, step.room, step.w)
		var got []int
		for n := range 6 {
			got = append(got, b.left(t, b.nights(10+n, 1)))
		}
		if !slices.Equal(got, step.want) {
			t.Errorf("%s: left = %v, want %v", step.name, got, step.want)
		}
	}
	if _, err := b.Inventory.Hold(t.Context(), b.want(b.nights(11, 1), 1)); !errors.Is(err, inventory.ErrSoldOut) {
		t.Errorf("hold of a suite while both are out of order: %v, want ErrSoldOut", err)
	}
	if n := b.count(t, `SELECT count(*) FROM sandbox.outbox WHERE subject = 'melmastoon.property.room.taken_out_of_order.v1'`); n != 3 {
		t.Errorf("%d events, want 3: none for the repetition", n)
	}
}

// A guest whose room type has lost a room after the booking keeps the booking and can still exchange it for the same nights.
func TestTakeRoomOut_afterTheSale(t *testing.T) {
	t.Parallel()
	b := open(t)
	mine := b.booked(t, b.nights(10, 2), 1)
	b.booked(t, b.nights(10, 2), 1)
	b.out(t, b.suite(t, 0).ID, b.nights(10, 2))
	if got := b.left(t, b.nights(10, 2)); got != 0 {
		t.Errorf("%d suites are left, want 0", got)
	}
	longer := exchange(mine, placement(b.nights(10, 3), 1))
	if _, err := b.Reallocate(t.Context(), longer); err != nil {
		t.Errorf("one night longer: %v", err)
	}
	more := exchange(mine, placement(b.nights(10, 2), 2))
	more.Releases = []id.Allocation{longer.Allocations[0].Allocation}
	if _, err := b.Reallocate(t.Context(), more); !errors.Is(err, inventory.ErrSoldOut) {
		t.Errorf("a second suite: %v, want ErrSoldOut", err)
	}
}

// Nights that come on sale later have the lower capacity, too.
func TestTakeRoomOut_nightsNotOnSaleYet(t *testing.T) {
	t.Parallel()
	b := open(t)
	b.out(t, b.suite(t, 0).ID, b.nights(399, 2))
	b.Advance(3 * 24 * time.Hour)
	if err := demo.Furnish(t.Context(), b.env, 2); err != nil {
		t.Fatal(err)
	}
	for night, want := range map[int]int{399: 1, 400: 1, 401: 2} {
		t.Run(fmt.Sprint(night), func(t *testing.T) {
			if got := b.left(t, b.nights(night, 1)); got != want {
				t.Errorf("night %d: %d suites are left, want %d", night, got, want)
			}
		})
	}
}

func TestRooms_currentOrNextOutage(t *testing.T) {
	t.Parallel()
	b := open(t)
	room := b.suite(t, 0).ID
	b.out(t, room, b.nights(20, 2))
	b.out(t, room, b.nights(0, 2))
	got, want := b.out(t, room, b.nights(1, 3)).OutOfOrder, &directory.Outage{From: b.today, Until: b.today.AddDays(4), ReasonCode: "maintenance"}
	if got == nil || *got != *want {
		t.Errorf("outOfOrder = %+v, want the two overlapping periods together, %+v", got, want)
	}
	b.Advance(4 * 24 * time.Hour)
	if got := b.suite(t, 0).OutOfOrder; got == nil || got.From != b.today.AddDays(20) {
		t.Errorf("four days later outOfOrder = %+v, want the period from day 20", got)
	}
	b.Advance(18 * 24 * time.Hour)
	if got := b.suite(t, 0).OutOfOrder; got != nil {
		t.Errorf("after both outOfOrder = %+v, want none", got)
	}
}

func TestHTTP_takeRoomOut(t *testing.T) {
	t.Parallel()
	b := open(t)
	f := b.front(t)
	room := b.suite(t, 0)
	path := "/sandbox/property/v1/rooms/" + room.ID.String() + "/out-of-order"
	w := b.nights(10, 2)
	var got directory.Room
	f.Post(path, body{"from": w.Start, "until": w.End, "reasonCode": "maintenance"}).Into(t, &got)
	if got.Number != room.Number {
		t.Errorf("number = %q, want %q", got.Number, room.Number)
	}
	if want := (directory.Outage{From: w.Start, Until: w.End, ReasonCode: "maintenance"}); got.OutOfOrder == nil || *got.OutOfOrder != want {
		t.Errorf("outOfOrder = %+v, want %+v", got.OutOfOrder, want)
	}
	for _, test := range []struct {
		name, path string
		in         body
		status     int
	}{
		{"no night", path, body{"from": w.Start, "until": w.Start, "reasonCode": "maintenance"}, http.StatusBadRequest},
		{"no reason", path, body{"from": w.Start, "until": w.End, "reasonCode": ""}, http.StatusBadRequest},
		{"a long reason", path, body{"from": w.Start, "until": w.End, "reasonCode": strings.Repeat("x", 101)}, http.StatusBadRequest},
		{"an unknown room", strings.Replace(path, room.ID.String(), id.New[id.Room]().String(), 1),
			body{"from": w.Start, "until": w.End, "reasonCode": "maintenance"}, http.StatusNotFound},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := f.Post(test.path, test.in); got.Status != test.status {
				t.Errorf("status = %d, want %d: %s", got.Status, test.status, got.Body)
			}
		})
	}
}

// Concurrent holds and outages never sell a suite that is out of order.
func TestTakeRoomOut_racingHolds(t *testing.T) {
	t.Parallel()
	b := openConcurrent(t)
	rooms := directory.OpenRooms(b.env)
	first, second := b.suite(t, 0).ID, b.suite(t, 1).ID
	for round := range 10 {
		w := b.nights(round*5, 3)
		var granted atomic.Int64
		race, ctx := errgroup.WithContext(t.Context())
		for _, room := range []id.Room{first, second} {
			race.Go(func() error {
				_, err := rooms.TakeOut(ctx, room, directory.Outage{From: w.Start, Until: w.End, ReasonCode: "maintenance"})
				return err
			})
		}
		for range 8 {
			race.Go(func() error {
				_, err := b.Inventory.Hold(ctx, b.want(w, 1))
				if err == nil {
					granted.Add(1)
				}
				if errors.Is(err, inventory.ErrSoldOut) {
					return nil
				}
				return err
			})
		}
		if err := race.Wait(); err != nil {
			t.Fatal(err)
		}
		if granted.Load() > 2 {
			t.Fatalf("round %d: %d suites were held, want at most 2", round, granted.Load())
		}
		if _, err := b.Inventory.Hold(t.Context(), b.want(w, 1)); !errors.Is(err, inventory.ErrSoldOut) {
			t.Fatalf("round %d: after both outages: %v, want ErrSoldOut", round, err)
		}
	}
}

func TestRooms_unknown(t *testing.T) {
	t.Parallel()
	b := open(t)
	if _, err := directory.OpenRooms(b.env).Of(t.Context(), id.New[id.Property]()); !errors.Is(err, fault.ErrNotFound) {
		t.Errorf("error = %v, want ErrNotFound", err)
	}
}
