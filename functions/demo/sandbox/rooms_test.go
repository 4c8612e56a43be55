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
	"melmastoon.ghasi.io/shared/testkit/check"
	"melmastoon.ghasi.io/shared/testkit/fntest"
)

// suite returns one of Kabul's two physical suites.
func (b books) suite(t *testing.T, n int) directory.Room {
	t.Helper()
	all, err := directory.OpenRooms(b.env).Of(t.Context(), kabul.Property)
	check.Must(t, err)
	all = slices.DeleteFunc(all, func(r directory.Room) bool { return r.RoomType != suites.ID })
	check.MustEqual(t, len(all), 2, "suites")
	return all[n]
}

// out takes a room out of order.
func (b books) out(t *testing.T, room id.Room, w stay.Window) directory.Room {
	t.Helper()
	r, err := directory.OpenRooms(b.env).TakeOut(t.Context(), room, directory.Outage{From: w.Start, Until: w.End, ReasonCode: "maintenance"})
	check.Must(t, err)
	return r
}

func TestRooms_ofProperty(t *testing.T) {
	t.Parallel()
	b := open(t)
	f := b.front(t)
	list := fntest.Read[listrooms.Response](t, f.Get("/sandbox/property/v1/properties/"+kabul.Property.String()+"/rooms"))
	var numbers []string
	units := map[id.RoomType]int{}
	for _, r := range list.Rooms {
		numbers = append(numbers, r.Number)
		units[r.RoomType]++
	}
	want := "101 102 103 104 105 106 107 108 109 110 111 112 201 202 203 204 205 206 301 302"
	check.Equal(t, strings.Join(numbers, " "), want)
	for _, r := range kabul.Rooms {
		check.Equal(t, units[r.ID], r.Units, "%s: rooms", r.Name)
	}
	check.Equal(t, list.Rooms[0].ID, id.Derive[id.Room](kabul.Rooms[0].ID, "room 1"), "id of the first room")
	for path, status := range map[string]int{
		"/sandbox/property/v1/properties/" + id.New[id.Property]().String() + "/rooms": http.StatusNotFound,
		"/sandbox/property/v1/properties/none/rooms":                                   http.StatusNotFound,
	} {
		t.Run(fmt.Sprintf("%q", path), func(t *testing.T) {
			f.Get(path).Want(t, status)
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
		check.Equal(t, got, step.want, "%s: left", step.name)
	}
	check.Got(b.Inventory.Hold(t.Context(), b.want(b.nights(11, 1), 1))).Error(t, inventory.ErrSoldOut, "hold of a suite while both are out of order")
	check.Equal(t, b.count(t, `SELECT count(*) FROM sandbox.outbox WHERE subject = 'melmastoon.property.room.taken_out_of_order.v1'`), 3, "events: none for the repetition")
}

// A guest whose room type has lost a room after the booking keeps the booking and can still exchange it for the same nights.
func TestTakeRoomOut_afterTheSale(t *testing.T) {
	t.Parallel()
	b := open(t)
	mine := b.booked(t, b.nights(10, 2), 1)
	b.booked(t, b.nights(10, 2), 1)
	b.out(t, b.suite(t, 0).ID, b.nights(10, 2))
	check.Equal(t, b.left(t, b.nights(10, 2)), 0, "suites left")
	longer := exchange(mine, placement(b.nights(10, 3), 1))
	check.Got(b.Reallocate(t.Context(), longer)).NoError(t, "one night longer")
	more := exchange(mine, placement(b.nights(10, 2), 2))
	more.Releases = []id.Allocation{longer.Allocations[0].Allocation}
	check.Got(b.Reallocate(t.Context(), more)).Error(t, inventory.ErrSoldOut, "a second suite")
}

// Nights that come on sale later have the lower capacity, too.
func TestTakeRoomOut_nightsNotOnSaleYet(t *testing.T) {
	t.Parallel()
	b := open(t)
	b.out(t, b.suite(t, 0).ID, b.nights(399, 2))
	b.Advance(3 * 24 * time.Hour)
	check.Must(t, demo.Furnish(t.Context(), b.env, 2))
	for night, want := range map[int]int{399: 1, 400: 1, 401: 2} {
		t.Run(fmt.Sprint(night), func(t *testing.T) {
			check.Equal(t, b.left(t, b.nights(night, 1)), want, "night %d: suites are left", night)
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
	check.Equal(t, b.suite(t, 0).OutOfOrder, nil, "outOfOrder after both")
}

func TestHTTP_takeRoomOut(t *testing.T) {
	t.Parallel()
	b := open(t)
	f := b.front(t)
	room := b.suite(t, 0)
	path := "/sandbox/property/v1/rooms/" + room.ID.String() + "/out-of-order"
	w := b.nights(10, 2)
	got := fntest.Read[directory.Room](t, f.Post(path, body{"from": w.Start, "until": w.End, "reasonCode": "maintenance"}))
	check.Equal(t, got.Number, room.Number)
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
			f.Post(test.path, test.in).Want(t, test.status)
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
		check.Must(t, race.Wait())
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
	check.Got(directory.OpenRooms(b.env).Of(t.Context(), id.New[id.Property]())).Error(t, fault.ErrNotFound)
}
