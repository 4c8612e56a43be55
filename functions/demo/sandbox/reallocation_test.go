package sandbox_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"melmastoon.ghasi.io/functions/demo/sandbox/demo"
	"melmastoon.ghasi.io/functions/demo/sandbox/internal/inventory"
	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/stay"
	"melmastoon.ghasi.io/shared/testkit/check"
)

// placement returns a claim on suites with a new id.
func placement(w stay.Window, units int) inventory.Placement {
	return inventory.Placement{Claim: inventory.Claim{Allocation: id.New[id.Allocation](), RoomType: suites.ID, Units: units}, Stay: w}
}

// exchange returns a reallocation of a hold's rooms to other nights.
func exchange(h inventory.Hold, to ...inventory.Placement) inventory.Reallocation {
	return inventory.Reallocation{Tenant: h.Tenant, Property: h.Property, Reservation: h.Reservation, Releases: ids(h), Allocations: to}
}

// booked returns a committed hold.
func (b books) booked(t *testing.T, w stay.Window, units int) inventory.Hold {
	t.Helper()
	h := b.held(t, w, units)
	check.Must(t, b.commit(t.Context(), h))
	return h
}

// state returns the state of an allocation.
func (b books) state(t *testing.T, a id.Allocation) (state string) {
	t.Helper()
	check.Must(t, b.owner.QueryRow(t.Context(), `SELECT coalesce((SELECT state FROM sandbox.allocations WHERE allocation_id = $1), 'none')`, a).Scan(&state))
	return state
}

func TestReallocate_ownNightsNotCounted(t *testing.T) {
	t.Parallel()
	b := open(t)
	mine := b.booked(t, b.nights(10, 3), 1)
	b.booked(t, b.nights(10, 3), 1) // another guest: the suites are full
	r := exchange(mine, placement(b.nights(10, 4), 1))
	check.Got(b.Reallocate(t.Context(), r)).Must(t, "one night more in a full house")
	check.Equal(t, b.left(t, b.nights(10, 3)), 0, "suites left on the old nights")
	check.Equal(t, b.left(t, b.nights(13, 1)), 1, "suites left on the new night")
	check.Equal(t, b.state(t, ids(mine)[0]), "released", "the old allocation")
	check.Equal(t, b.state(t, r.Allocations[0].Allocation), "committed", "the new allocation")
	b.Advance(time.Hour)
	check.Equal(t, b.left(t, b.nights(13, 1)), 1, "suites left an hour later: a reallocated room does not expire")
}

func TestReallocate_allOrNone(t *testing.T) {
	t.Parallel()
	b := open(t)
	mine := b.booked(t, b.nights(10, 2), 1)
	b.booked(t, b.nights(12, 1), 2) // the night after is full
	r := exchange(mine, placement(b.nights(20, 1), 1), placement(b.nights(11, 2), 1))
	if _, err := b.Reallocate(t.Context(), r); !errors.Is(err, inventory.ErrSoldOut) {
		t.Fatalf("into a full night: %v, want ErrSoldOut", err)
	}
	check.Equal(t, b.state(t, ids(mine)[0]), "committed", "the old allocation")
	check.Equal(t, b.left(t, b.nights(20, 1)), 2, "suites left on the free night")
	check.Equal(t, b.left(t, b.nights(10, 2)), 1, "suites left on the old nights")
	check.Equal(t, b.published(t, mine.Reservation), []string{"inventory.allocation.committed.v1"}, "events: of the hold alone")
}

func TestReallocate_repeated(t *testing.T) {
	t.Parallel()
	b := open(t)
	mine := b.booked(t, b.nights(10, 2), 1)
	r := exchange(mine, placement(b.nights(11, 2), 1), placement(b.nights(14, 1), 1))
	first, err := b.Reallocate(t.Context(), r)
	check.Must(t, err)
	b.Advance(time.Hour)
	again, err := b.Reallocate(t.Context(), r)
	check.Must(t, err)
	check.Equal(t, again, first)
	want := []string{"inventory.allocation.committed.v1", "inventory.allocation.committed.v1", "inventory.allocation.committed.v1"}
	check.Equal(t, b.published(t, mine.Reservation), want)
	if n := b.count(t, `SELECT count(*) FROM sandbox.outbox WHERE payload ->> 'reservationId' = $1 AND NOT payload ? 'expiresAt'`, mine.Reservation.String()); n != 2 {
		t.Errorf("%d events without expiresAt, want 2", n)
	}
	check.Must(t, b.release(t.Context(), inventory.Hold{Tenant: r.Tenant, Claims: []inventory.Claim{r.Allocations[0].Claim}}))
	check.Got(b.Reallocate(t.Context(), r)).Error(t, inventory.ErrHoldOver, "after a new room was released")
}

func TestReallocate_refusalIsPermanent(t *testing.T) {
	t.Parallel()
	b := open(t)
	mine, others := b.booked(t, b.nights(10, 2), 1), b.booked(t, b.nights(12, 1), 2)
	r := exchange(mine, placement(b.nights(10, 3), 1))
	if _, err := b.Reallocate(t.Context(), r); !errors.Is(err, inventory.ErrSoldOut) {
		t.Fatalf("into a full night: %v, want ErrSoldOut", err)
	}
	check.Must(t, b.release(t.Context(), others))
	check.Got(b.Reallocate(t.Context(), r)).Error(t, inventory.ErrSoldOut, "the repeat, with rooms free again")
	check.Equal(t, b.state(t, r.Allocations[0].Allocation), "refused", "the new allocation")
	r.Allocations[0] = placement(b.nights(10, 3), 1)
	check.Got(b.Reallocate(t.Context(), r)).NoError(t, "under a new id")
}

func TestReallocate_oneList(t *testing.T) {
	t.Parallel()
	b := open(t)
	mine := b.booked(t, b.nights(10, 2), 2)
	first, err := b.Reallocate(t.Context(), exchange(mine))
	check.Must(t, err)
	check.Equal(t, b.left(t, mine.Stay), 2, "suites left after the release")
	b.Advance(time.Minute)
	again, err := b.Reallocate(t.Context(), exchange(mine))
	check.Must(t, err)
	check.Equal(t, again, first)
	more := exchange(mine, placement(mine.Stay, 1))
	more.Releases = nil
	check.Got(b.Reallocate(t.Context(), more)).Must(t)
	check.Equal(t, b.left(t, mine.Stay), 1, "suites left with a room more")
}

// The rooms of an expired hold may belong to another guest: releasing it frees nothing.
func TestReallocate_expiredHoldFreesNothing(t *testing.T) {
	t.Parallel()
	b := open(t)
	w := b.nights(10, 2)
	late := b.held(t, w, 1)
	b.Advance(10 * time.Minute)
	b.booked(t, w, 2)
	check.Got(b.Reallocate(t.Context(), exchange(late, placement(w, 1)))).Error(t, inventory.ErrSoldOut)
}

func TestReallocate_betweenRoomTypes(t *testing.T) {
	t.Parallel()
	b := open(t)
	mine := b.booked(t, b.nights(10, 5), 1)
	b.booked(t, b.nights(12, 3), 1)
	other := placement(b.nights(12, 3), 1)
	other.RoomType = kabul.Rooms[0].ID
	r := exchange(mine, placement(b.nights(10, 2), 1), other, placement(b.nights(12, 3), 1))
	check.Got(b.Reallocate(t.Context(), r)).Must(t)
	check.Equal(t, b.left(t, b.nights(12, 3)), 0, "suites left")
	check.Equal(t, b.left(t, b.nights(10, 2)), 1, "suites left on the first nights")
}

func TestReallocate_mismatch(t *testing.T) {
	t.Parallel()
	b := open(t)
	mine, others := b.booked(t, b.nights(10, 2), 1), b.booked(t, b.nights(30, 2), 1)
	done := exchange(mine, placement(b.nights(11, 2), 1))
	check.Got(b.Reallocate(t.Context(), done)).Must(t)
	for name, change := range map[string]func(*inventory.Reallocation){
		"a release of another reservation": func(r *inventory.Reallocation) {
			r.Releases, r.Allocations = ids(others), []inventory.Placement{placement(b.nights(20, 1), 1)}
		},
		"only releases of another reservation": func(r *inventory.Reallocation) { r.Releases, r.Allocations = ids(others), nil },
		"other nights":                         func(r *inventory.Reallocation) { r.Allocations[0].Stay = b.nights(11, 3) },
		"other units":                          func(r *inventory.Reallocation) { r.Allocations[0].Units = 2 },
		"another room type":                    func(r *inventory.Reallocation) { r.Allocations[0].RoomType = kabul.Rooms[0].ID },
		"another reservation":                  func(r *inventory.Reallocation) { r.Releases, r.Reservation = nil, id.New[id.Reservation]() },
		"one id more":                          func(r *inventory.Reallocation) { r.Allocations = append(r.Allocations, placement(b.nights(20, 1), 1)) },
		"the id of a hold": func(r *inventory.Reallocation) {
			r.Allocations[0] = inventory.Placement{Claim: mine.Claims[0], Stay: mine.Stay}
			r.Releases = nil
		},
		"another tenant": func(r *inventory.Reallocation) {
			r.Tenant, r.Property, r.Releases = demo.HeratGarden.Tenant, demo.HeratGarden.Property, nil
			r.Allocations[0].RoomType = demo.HeratGarden.Rooms[0].ID
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := done
			r.Allocations = slices.Clone(done.Allocations)
			change(&r)
			check.Got(b.Reallocate(t.Context(), r)).Error(t, inventory.ErrOtherHold)
		})
	}
	check.Equal(t, b.state(t, ids(others)[0]), "committed", "the other guest's allocation")
	more := b.booked(t, b.nights(40, 1), 1)
	again := done
	again.Releases = append(slices.Clone(done.Releases), ids(more)...)
	check.Got(b.Reallocate(t.Context(), again)).Error(t, inventory.ErrOtherHold, "a repeat that releases another's room")
	foreign := exchange(mine, placement(b.nights(20, 1), 1))
	foreign.Allocations[0].RoomType = demo.HeratGarden.Rooms[0].ID
	check.Got(b.Reallocate(t.Context(), foreign)).Error(t, fault.ErrNotFound, "a room type of another property")
}

func TestHTTP_reallocate(t *testing.T) {
	t.Parallel()
	b := open(t)
	f := b.front(t)
	mine := b.booked(t, b.nights(10, 2), 2)
	other := b.booked(t, b.nights(12, 1), 1)
	longer := exchange(mine, placement(b.nights(10, 3), 1))
	full := exchange(mine, placement(b.nights(10, 3), 2))
	twice := exchange(mine, longer.Allocations[0], longer.Allocations[0])
	endless := exchange(mine, placement(b.nights(10, 400), 1))
	none := exchange(mine, placement(b.nights(10, 3), 0))
	nothing := exchange(mine)
	nothing.Releases, nothing.Allocations = []id.Allocation{}, []inventory.Placement{}
	both := exchange(mine, inventory.Placement{Claim: mine.Claims[0], Stay: mine.Stay})
	many := exchange(mine)
	many.Allocations = []inventory.Placement{}
	for range 101 {
		many.Releases = append(many.Releases, id.New[id.Allocation]())
	}
	for _, step := range []struct {
		name   string
		in     inventory.Reallocation
		status int
		code   string
	}{
		{"too many suites", full, 409, "RESERVATION.OVERBOOKING_BLOCKED"},
		{"one suite longer", longer, 200, ""},
		{"the same again", longer, 200, ""},
		{"the refused one again", full, 409, "RESERVATION.OVERBOOKING_BLOCKED"},
		{"another guest's room", inventory.Reallocation{Tenant: mine.Tenant, Property: mine.Property, Reservation: mine.Reservation,
			Releases: ids(other), Allocations: []inventory.Placement{}}, 422, "GENERAL.IDEMPOTENCY_KEY_REUSED"},
		{"nothing", nothing, 400, "GENERAL.VALIDATION_FAILED"},
		{"too many releases", many, 400, "GENERAL.VALIDATION_FAILED"},
		{"one id twice", twice, 400, "GENERAL.VALIDATION_FAILED"},
		{"one id in both lists", both, 400, "GENERAL.VALIDATION_FAILED"},
		{"more than a year", endless, 400, "GENERAL.VALIDATION_FAILED"},
		{"no room", none, 400, "GENERAL.VALIDATION_FAILED"},
	} {
		t.Run(step.name, func(t *testing.T) {
			got := f.Post("/sandbox/inventory/v1/reallocations", step.in)
			got.WantProblem(t, step.status, step.code)
		})
	}
	fresh := exchange(other, placement(b.nights(20, 1), 1))
	header := "X-Sandbox-Scenario"
	f.Post("/sandbox/inventory/v1/reallocations", fresh, header, "sold_out").Want(t, 409)
	f.Post("/sandbox/inventory/v1/reallocations", fresh).Want(t, 200)
}

// In a full house, guests extend and move their stays while others hold, commit and release. No room is sold twice, and
// opposite exchanges do not deadlock.
func TestReallocate_noOversell(t *testing.T) {
	t.Parallel()
	b := openConcurrent(t)
	var exchanged, refused atomic.Int64
	callers, ctx := errgroup.WithContext(t.Context())
	for client := range clients / 2 {
		callers.Go(func() error { return b.wander(ctx, client, &exchanged, &refused) })
	}
	for range clients / 2 {
		callers.Go(func() error {
			for round := range rounds {
				h := b.want(b.nights(10+rand.IntN(4), 1+rand.IntN(4)), 1)
				switch _, err := b.Inventory.Hold(ctx, h); {
				case errors.Is(err, inventory.ErrSoldOut):
					continue
				case err != nil:
					return err
				}
				if err := b.then(ctx, h, round); err != nil {
					return err
				}
			}
			return nil
		})
	}
	callers.Go(func() error {
		for range 5 {
			b.Advance(3 * time.Minute)
		}
		return nil
	})
	check.Must(t, callers.Wait())
	check.Equal(t, b.count(t, oversold), 0, "oversold nights")
	check.NotEqual(t, exchanged.Load(), 0)
	check.NotEqual(t, refused.Load(), 0, "refused: there was no contention")
}

// wander lets one guest book rooms of two types and move among the same nights as all others.
func (b books) wander(ctx context.Context, client int, exchanged, refused *atomic.Int64) error {
	r := inventory.Reallocation{Tenant: kabul.Tenant, Property: kabul.Property, Reservation: id.New[id.Reservation](), Releases: []id.Allocation{}}
	for range rounds {
		r.Allocations = []inventory.Placement{placement(b.nights(10+rand.IntN(4), 1+rand.IntN(4)), 1), placement(b.nights(10+rand.IntN(4), 1), 1)}
		r.Allocations[1].RoomType = kabul.Rooms[1].ID
		if client%2 == 0 {
			slices.Reverse(r.Allocations)
		}
		_, err := b.Reallocate(ctx, r)
		switch {
		case errors.Is(err, inventory.ErrSoldOut):
			refused.Add(1)
			continue
		case err != nil:
			return err
		}
		exchanged.Add(1)
		r.Releases = []id.Allocation{r.Allocations[0].Allocation, r.Allocations[1].Allocation}
	}
	return nil
}

func TestReallocate_concurrentRepetition(t *testing.T) {
	t.Parallel()
	b := openConcurrent(t)
	mine := b.booked(t, b.nights(10, 3), 2)
	r := exchange(mine, placement(b.nights(10, 5), 2))
	var first atomic.Pointer[time.Time]
	callers, ctx := errgroup.WithContext(t.Context())
	for range clients {
		callers.Go(func() error {
			at, err := b.Reallocate(ctx, r)
			if err != nil {
				return err
			}
			if !first.CompareAndSwap(nil, &at) && !first.Load().Equal(at) {
				return errors.New("different answers to one request")
			}
			return nil
		})
	}
	check.NoError(t, callers.Wait())
	check.Equal(t, len(b.published(t, mine.Reservation)), 2, "events of the hold and of the exchange")
	check.Equal(t, b.left(t, b.nights(10, 5)), 0, "suites left")
}

// A release of the old room and its exchange race: the room is given back once, in either order.
func TestReallocate_racingRelease(t *testing.T) {
	t.Parallel()
	b := openConcurrent(t)
	for round := range 20 {
		w := b.nights(round*5, 3)
		mine := b.booked(t, w, 1)
		b.booked(t, w, 1)
		r := exchange(mine, placement(w, 1))
		var race errgroup.Group
		race.Go(func() error { return b.release(t.Context(), mine) })
		race.Go(func() error { _, err := b.Reallocate(t.Context(), r); return err })
		check.Must(t, race.Wait())
		check.MustEqual(t, b.left(t, w), 0, "round %d: suites are left", round)
	}
}
