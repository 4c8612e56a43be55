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
	if err := b.commit(t.Context(), h); err != nil {
		t.Fatal(err)
	}
	return h
}

// state returns the state of an allocation.
func (b books) state(t *testing.T, a id.Allocation) (state string) {
	t.Helper()
	if err := b.owner.QueryRow(t.Context(), `SELECT coalesce((SELECT state FROM sandbox.allocations WHERE allocation_id = $1), 'none')`, a).Scan(&state); err != nil {
		t.Fatal(err)
	}
	return state
}

func TestReallocate_ownNightsNotCounted(t *testing.T) {
	t.Parallel()
	b := open(t)
	mine := b.booked(t, b.nights(10, 3), 1)
	b.booked(t, b.nights(10, 3), 1) // another guest: the suites are full
	r := exchange(mine, placement(b.nights(10, 4), 1))
	if _, err := b.Reallocate(t.Context(), r); err != nil {
		t.Fatalf("one night more in a full house: %v", err)
	}
	if got := b.left(t, b.nights(10, 3)); got != 0 {
		t.Errorf("of the old nights %d suites are left, want 0", got)
	}
	if got := b.left(t, b.nights(13, 1)); got != 1 {
		t.Errorf("of the new night %d suites are left, want 1", got)
	}
	if got := b.state(t, ids(mine)[0]); got != "released" {
		t.Errorf("the old allocation is %s, want released", got)
	}
	if got := b.state(t, r.Allocations[0].Allocation); got != "committed" {
		t.Errorf("the new allocation is %s, want committed", got)
	}
	b.Advance(time.Hour)
	if got := b.left(t, b.nights(13, 1)); got != 1 {
		t.Errorf("an hour later %d suites are left, want 1: a reallocated room does not expire", got)
	}
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
	if got := b.state(t, ids(mine)[0]); got != "committed" {
		t.Errorf("the old allocation is %s, want committed", got)
	}
	if got := b.left(t, b.nights(20, 1)); got != 2 {
		t.Errorf("of the free night %d suites are left, want 2", got)
	}
	if got := b.left(t, b.nights(10, 2)); got != 1 {
		t.Errorf("of the old nights %d suites are left, want 1", got)
	}
	if got, want := b.published(t, mine.Reservation), []string{"inventory.allocation.committed.v1"}; !slices.Equal(got, want) {
		t.Errorf("published %v, want %v: that of the hold alone", got, want)
	}
}

func TestReallocate_repeated(t *testing.T) {
	t.Parallel()
	b := open(t)
	mine := b.booked(t, b.nights(10, 2), 1)
	r := exchange(mine, placement(b.nights(11, 2), 1), placement(b.nights(14, 1), 1))
	first, err := b.Reallocate(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	b.Advance(time.Hour)
	again, err := b.Reallocate(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	if !again.Equal(first) {
		t.Errorf("again = %v, want %v", again, first)
	}
	want := []string{"inventory.allocation.committed.v1", "inventory.allocation.committed.v1", "inventory.allocation.committed.v1"}
	if got := b.published(t, mine.Reservation); !slices.Equal(got, want) {
		t.Errorf("published %v, want %v", got, want)
	}
	if n := b.count(t, `SELECT count(*) FROM sandbox.outbox WHERE payload ->> 'reservationId' = $1 AND NOT payload ? 'expiresAt'`, mine.Reservation.String()); n != 2 {
		t.Errorf("%d events without expiresAt, want 2", n)
	}
	if err := b.release(t.Context(), inventory.Hold{Tenant: r.Tenant, Claims: []inventory.Claim{r.Allocations[0].Claim}}); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Reallocate(t.Context(), r); !errors.Is(err, inventory.ErrHoldOver) {
		t.Errorf("after a new room was released: %v, want ErrHoldOver", err)
	}
}

func TestReallocate_refusalIsPermanent(t *testing.T) {
	t.Parallel()
	b := open(t)
	mine, others := b.booked(t, b.nights(10, 2), 1), b.booked(t, b.nights(12, 1), 2)
	r := exchange(mine, placement(b.nights(10, 3), 1))
	if _, err := b.Reallocate(t.Context(), r); !errors.Is(err, inventory.ErrSoldOut) {
		t.Fatalf("into a full night: %v, want ErrSoldOut", err)
	}
	if err := b.release(t.Context(), others); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Reallocate(t.Context(), r); !errors.Is(err, inventory.ErrSoldOut) {
		t.Errorf("the repeat, with rooms free again: %v, want ErrSoldOut", err)
	}
	if got := b.state(t, r.Allocations[0].Allocation); got != "refused" {
		t.Errorf("the new allocation is %s, want refused", got)
	}
	r.Allocations[0] = placement(b.nights(10, 3), 1)
	if _, err := b.Reallocate(t.Context(), r); err != nil {
		t.Errorf("under a new id: %v", err)
	}
}

func TestReallocate_oneList(t *testing.T) {
	t.Parallel()
	b := open(t)
	mine := b.booked(t, b.nights(10, 2), 2)
	first, err := b.Reallocate(t.Context(), exchange(mine))
	if err != nil {
		t.Fatal(err)
	}
	if got := b.left(t, mine.Stay); got != 2 {
		t.Errorf("after the release %d suites are left, want 2", got)
	}
	b.Advance(time.Minute)
	again, err := b.Reallocate(t.Context(), exchange(mine))
	if err != nil {
		t.Fatal(err)
	}
	if !again.Equal(first) {
		t.Errorf("again = %v, want %v", again, first)
	}
	more := exchange(mine, placement(mine.Stay, 1))
	more.Releases = nil
	if _, err := b.Reallocate(t.Context(), more); err != nil {
		t.Fatal(err)
	}
	if got := b.left(t, mine.Stay); got != 1 {
		t.Errorf("after a room more %d suites are left, want 1", got)
	}
}

// The rooms of an expired hold may belong to another guest: releasing it frees nothing.
func TestReallocate_expiredHoldFreesNothing(t *testing.T) {
	t.Parallel()
	b := open(t)
	w := b.nights(10, 2)
	late := b.held(t, w, 1)
	b.Advance(10 * time.Minute)
	b.booked(t, w, 2)
	if _, err := b.Reallocate(t.Context(), exchange(late, placement(w, 1))); !errors.Is(err, inventory.ErrSoldOut) {
		t.Errorf("%v, want ErrSoldOut", err)
	}
}

func TestReallocate_betweenRoomTypes(t *testing.T) {
	t.Parallel()
	b := open(t)
	mine := b.booked(t, b.nights(10, 5), 1)
	b.booked(t, b.nights(12, 3), 1)
	other := placement(b.nights(12, 3), 1)
	other.RoomType = kabul.Rooms[0].ID
	r := exchange(mine, placement(b.nights(10, 2), 1), other, placement(b.nights(12, 3), 1))
	if _, err := b.Reallocate(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	if got := b.left(t, b.nights(12, 3)); got != 0 {
		t.Errorf("%d suites are left, want 0", got)
	}
	if got := b.left(t, b.nights(10, 2)); got != 1 {
		t.Errorf("of the first nights %d suites are left, want 1", got)
	}
}

func TestReallocate_mismatch(t *testing.T) {
	t.Parallel()
	b := open(t)
	mine, others := b.booked(t, b.nights(10, 2), 1), b.booked(t, b.nights(30, 2), 1)
	done := exchange(mine, placement(b.nights(11, 2), 1))
	if _, err := b.Reallocate(t.Context(), done); err != nil {
		t.Fatal(err)
	}
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
			if _, err := b.Reallocate(t.Context(), r); !errors.Is(err, inventory.ErrOtherHold) {
				t.Errorf("error = %v, want ErrOtherHold", err)
			}
		})
	}
	if got := b.state(t, ids(others)[0]); got != "committed" {
		t.Errorf("the other guest's allocation is %s, want committed", got)
	}
	more := b.booked(t, b.nights(40, 1), 1)
	again := done
	again.Releases = append(slices.Clone(done.Releases), ids(more)...)
	if _, err := b.Reallocate(t.Context(), again); !errors.Is(err, inventory.ErrOtherHold) {
		t.Errorf("a repeat that releases another's room: error = %v, want ErrOtherHold", err)
	}
	foreign := exchange(mine, placement(b.nights(20, 1), 1))
	foreign.Allocations[0].RoomType = demo.HeratGarden.Rooms[0].ID
	if _, err := b.Reallocate(t.Context(), foreign); !errors.Is(err, fault.ErrNotFound) {
		t.Errorf("a room type of another property: error = %v, want ErrNotFound", err)
	}
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
			if got.Status != step.status {
				t.Errorf("status = %d, want %d: %s", got.Status, step.status, got.Body)
			}
			if got.Code() != step.code {
				t.Errorf("code = %q, want %q", got.Code(), step.code)
			}
		})
	}
	fresh := exchange(other, placement(b.nights(20, 1), 1))
	header := "X-Sandbox-Scenario"
	if got := f.Post("/sandbox/inventory/v1/reallocations", fresh, header, "sold_out"); got.Status != 409 {
		t.Errorf("in the scenario sold_out: status = %d, want 409", got.Status)
	}
	if got := f.Post("/sandbox/inventory/v1/reallocations", fresh); got.Status != 200 {
		t.Errorf("after the scenario: status = %d, want 200", got.Status)
	}
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
	if err := callers.Wait(); err != nil {
		t.Fatal(err)
	}
	if n := b.count(t, oversold); n != 0 {
		t.Errorf("%d times a night had more takers than rooms", n)
	}
	if exchanged.Load() == 0 {
		t.Error("exchanged = 0, want more than 0")
	}
	if refused.Load() == 0 {
		t.Error("refused = 0, want more than 0: there was no contention")
	}
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
	if err := callers.Wait(); err != nil {
		t.Error(err)
	}
	if got := b.published(t, mine.Reservation); len(got) != 2 {
		t.Errorf("published %v, want two events: of the hold and of the exchange", got)
	}
	if got := b.left(t, b.nights(10, 5)); got != 0 {
		t.Errorf("%d suites are left, want 0", got)
	}
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
		if err := race.Wait(); err != nil {
			t.Fatal(err)
		}
		if got := b.left(t, w); got != 0 {
			t.Fatalf("round %d: %d suites are left, want 0", round, got)
		}
	}
}
