package booking

import (
	"context"
	"errors"
	"math"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"melmastoon.ghasi.io/functions/reservation/internal/access"
	"melmastoon.ghasi.io/functions/reservation/internal/quotes"
	"melmastoon.ghasi.io/functions/reservation/internal/quotestest"
	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/postgres"
	"melmastoon.ghasi.io/shared/stay"
	"melmastoon.ghasi.io/shared/testkit/pgtest"
)

// aStoredQuote returns a stored quote that is valid for half an hour.
func aStoredQuote(t testing.TB, e env.Env, tenant id.Tenant) *quotes.Quote {
	t.Helper()
	ask := quotestest.Ask()
	q, err := quotes.New(id.New[id.Request](), tenant, quotestest.Basis(), ask, quotestest.Price(ask, e.Now().Add(30*time.Minute)))
	if err != nil {
		t.Fatal(err)
	}
	if q, err = quotes.OpenStore(e).Add(t.Context(), q); err != nil {
		t.Fatal(err)
	}
	return q
}

// aStored returns a stored reservation that is held for ten minutes.
func aStored(t testing.TB, e env.Env, tenant id.Tenant) *Reservation {
	t.Helper()
	r, err := Reserve(aStoredQuote(t, e, tenant), Details{
		Act: id.New[id.Request](), Channel: Direct, CreatedBy: access.Actor{Type: access.Guest, ID: "gst_someone"}, TTL: 10 * time.Minute,
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := r.StartHold(HoldResult{e.Now(), e.Now().Add(10 * time.Minute)}); err != nil {
		t.Fatal(err)
	}
	s := OpenReservations(e)
	if err := s.Book(t.Context(), access.Principal{Scope: access.Scope{Tenant: tenant}}, r, nil); err != nil {
		t.Fatal(err)
	}
	return r
}

// published returns the subjects in the outbox for a reservation, without their common prefix.
func published(t testing.TB, db *pgtest.Database, r *Reservation) []string {
	t.Helper()
	return subjects(t, db.Owner(t), r)
}

func subjects(t testing.TB, owner *pgx.Conn, r *Reservation) []string {
	t.Helper()
	rows, _ := owner.Query(t.Context(), `
		SELECT subject FROM reservation.outbox WHERE ordering_key = @key ORDER BY seq`,
		pgx.StrictNamedArgs{"key": r.Tenant.String() + ":" + r.ID.String()})
	subjects, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatal(err)
	}
	for i, s := range subjects {
		subjects[i] = strings.TrimSuffix(strings.TrimPrefix(s, "melmastoon.reservation."), ".v1")
	}
	return subjects
}

func TestReservations_roundTrip(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	e := db.Env()
	stored := aStored(t, e, id.New[id.Tenant]())
	read, err := OpenReservations(e).Get(t.Context(), access.Scope{Tenant: stored.Tenant}, stored.ID)
	if err != nil {
		t.Fatal(err)
	}
	if read.AsOf.IsZero() {
		t.Error("read without a clock")
	}
	read.AsOf = stored.AsOf
	if !reflect.DeepEqual(read, stored) {
		t.Errorf("stored %+v\nread   %+v", stored, read)
	}
	if got := published(t, db, stored); !slices.Equal(got, []string{"held"}) {
		t.Errorf("published %v", got)
	}
}

func TestSave_roundTrip(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	for _, test := range []struct {
		name string
		act  func(*Reservation) error
	}{
		{"confirmed", func(r *Reservation) error { return r.Confirm(aCapture(r), r.Hold, noon) }},
		{"promised", func(r *Reservation) error { return r.Confirm(aPromise(r), r.Hold, noon) }},
		{"cancelled", func(r *Reservation) error { return r.CancelSoldOut(aCapture(r), noon) }},
		{"held anew", func(r *Reservation) error {
			hold := r.retryHold(id.New[id.Intent](), 0).placed(HoldResult{noon, noon.Add(time.Minute)})
			return r.Confirm(aCapture(r), hold, noon)
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			r := aStored(t, db.Env(), id.New[id.Tenant]())
			s := OpenReservations(db.Env())
			if err := test.act(r); err != nil {
				t.Fatal(err)
			}
			say := ReservationConfirmed
			if r.State == Cancelled {
				say = ReservationCancelled
			}
			if err := s.In(t.Context(), r.Tenant, func(tx postgres.Tx) error { return s.Save(t.Context(), tx, r, say(r)) }); err != nil {
				t.Fatal(err)
			}
			read, err := s.Get(t.Context(), access.Scope{Tenant: r.Tenant}, r.ID)
			if err != nil {
				t.Fatal(err)
			}
			read.AsOf = r.AsOf
			if !reflect.DeepEqual(read, r) {
				t.Errorf("saved %+v\nread  %+v", r, read)
			}
		})
	}
}

func TestSave_versionConflict(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	e := db.Env()
	s, r := OpenReservations(e), aStored(t, e, id.New[id.Tenant]())
	const writers = 8
	results := make(chan error, writers)
	var group sync.WaitGroup
	for range writers {
		mine := *r
		group.Go(func() {
			if err := mine.CancelUnpaid(noon); err != nil {
				t.Error(err)
			}
			results <- s.In(t.Context(), r.Tenant, func(tx postgres.Tx) error { return s.Save(t.Context(), tx, &mine, ReservationCancelled(&mine)) })
		})
	}
	group.Wait()
	close(results)
	won := 0
	for err := range results {
		if err == nil {
			won++
		} else if !errors.Is(err, fault.ErrVersionConflict) {
			t.Error(err)
		}
	}
	if got := published(t, db, r); won != 1 || !slices.Equal(got, []string{"held", "cancelled"}) {
		t.Errorf("%d won, published %v", won, got)
	}
}

func TestAdd_codeCollision(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	e := db.Env()
	tenant := id.New[id.Tenant]()
	taken := aStored(t, e, tenant)
	s := OpenReservations(e)
	fresh, err := Reserve(aStoredQuote(t, e, tenant), Details{Act: id.New[id.Request](), Channel: Direct, CreatedBy: saga(), TTL: stay.DefaultHold})
	if err != nil {
		t.Fatal(err)
	}
	if err := fresh.StartHold(HoldResult{noon, noon.Add(stay.DefaultHold)}); err != nil {
		t.Fatal(err)
	}
	codes := []string{taken.Code, taken.Code, "GM-FRESH2"}
	s.draw = func() string { code := codes[0]; codes = codes[1:]; return code }
	if err := s.In(t.Context(), tenant, func(tx postgres.Tx) error { return s.Add(t.Context(), tx, fresh) }); err != nil {
		t.Fatal(err)
	}
	if fresh.Code != "GM-FRESH2" {
		t.Errorf("got %s beside %s", fresh.Code, taken.Code)
	}
}

func TestGet_outOfScope(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	e := db.Env()
	r := aStored(t, e, id.New[id.Tenant]())
	s, q := OpenReservations(e), quotes.OpenStore(e)
	for _, test := range []struct {
		name string
		who  access.Scope
		want error
	}{
		{"its tenant", access.Scope{Tenant: r.Tenant}, nil},
		{"its property", access.Scope{Tenant: r.Tenant, Properties: []id.Property{r.Property}}, nil},
		{"another property", access.Scope{Tenant: r.Tenant, Properties: []id.Property{id.New[id.Property]()}}, ErrNotFound},
		{"no property", access.Scope{Tenant: r.Tenant, Properties: []id.Property{}}, ErrNotFound},
		{"another tenant", access.Scope{Tenant: id.New[id.Tenant]()}, ErrNotFound},
	} {
		t.Run(test.name, func(t *testing.T) {
			if _, err := s.Get(t.Context(), test.who, r.ID); !errors.Is(err, test.want) {
				t.Errorf("the reservation: %v, want %v", err, test.want)
			}
			if _, err := q.Get(t.Context(), test.who, r.Quote); !errors.Is(err, test.want) {
				t.Errorf("its quote: %v, want %v", err, test.want)
			}
			found, err := s.ByCode(t.Context(), test.who, r.Code)
			if err != nil || (len(found) == 1) != (test.want == nil) {
				t.Errorf("by its code: %v, %v", found, err)
			}
		})
	}
}

func TestQuotesAdd_idempotent(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	e := db.Env()
	act, tenant, ask := id.New[id.Request](), id.New[id.Tenant](), quotestest.Ask()
	var stands []*quotes.Quote
	for _, more := range []time.Duration{0, time.Minute} {
		t.Run(more.String(), func(t *testing.T) { // the second price differs
			q, err := quotes.New(act, tenant, quotestest.Basis(), ask, quotestest.Price(ask, e.Now().Add(time.Hour+more)))
			if err != nil {
				t.Fatal(err)
			}
			if q, err = quotes.OpenStore(e).Add(t.Context(), q); err != nil {
				t.Fatal(err)
			}
			stands = append(stands, q)
		})
	}
	if !stands[0].ValidUntil.Equal(stands[1].ValidUntil) {
		t.Errorf("valid until %v, after a repetition until %v; want the same", stands[0].ValidUntil, stands[1].ValidUntil)
	}
	var events int
	if err := db.Owner(t).QueryRow(t.Context(), `SELECT count(*) FROM reservation.outbox`).Scan(&events); err != nil || events != 2 {
		t.Errorf("got %d events, %v", events, err)
	}
}

// TestOutlast repeats an act until a change is complete, and gives up after a while.
func TestOutlast(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name  string
		times int // that the act fails
		err   error
		want  error
	}{
		{"change_in_progress", 3, errChanging, nil},
		{"many_changes", 25, fault.ErrVersionConflict, nil},
		{"change_stuck", math.MaxInt, errChanging, errChanging},
		{"not_allowed", 1, ErrIllegalTransition, ErrIllegalTransition},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			done := 0
			err := Outlast(t.Context(), func() error {
				if done++; done <= test.times {
					return test.err
				}
				return nil
			})
			if !errors.Is(err, test.want) {
				t.Errorf("Outlast() = %v, want %v", err, test.want)
			}
		})
	}
}

func TestDue(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	e := db.Env()
	s := OpenReservations(e)
	over := []*Reservation{aStored(t, e, id.New[id.Tenant]()), aStored(t, e, id.New[id.Tenant]())}
	db.Advance(10 * time.Minute)
	aStored(t, e, over[0].Tenant)
	due, err := s.Due(context.WithoutCancel(t.Context()), Due{}, 10)
	if err != nil || len(due) != 2 {
		t.Fatalf("due %v, %v", due, err)
	}
	for i, d := range due {
		if d.Tenant != over[i].Tenant || d.Reservation != over[i].ID {
			t.Errorf("due %v, want %s", d, over[i].ID)
		}
	}
}

func TestRoomsTaken_keepsVersion(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	e := db.Env()
	r, s := aStored(t, e, id.New[id.Tenant]()), OpenReservations(e)
	note := func(rsv id.Reservation, a id.Allocation) (Step, int, error) {
		err := s.In(t.Context(), r.Tenant, func(tx postgres.Tx) error { return s.RoomsTaken(t.Context(), tx, r.Tenant, rsv, a) })
		read, readErr := s.Get(t.Context(), access.Scope{Tenant: r.Tenant}, r.ID)
		if readErr != nil {
			t.Fatal(readErr)
		}
		return read.Saga.Pending, read.Version, err
	}
	if step, _, err := note(r.ID, id.New[id.Allocation]()); step != AwaitInventory || err != nil {
		t.Errorf("other rooms: %s, %v", step, err)
	}
	for range 2 { // the repetition changes nothing
		if step, _, err := note(r.ID, r.Hold.Allocations[0]); step != AwaitInventory || err != nil {
			t.Errorf("one of its two rooms: %s, %v", step, err)
		}
	}
	step, version, err := note(r.ID, r.Hold.Allocations[1])
	if step != AwaitPayment {
		t.Errorf("its rooms: step = %v, want %v", step, AwaitPayment)
	}
	if version != r.Version {
		t.Errorf("its rooms: version = %v, want %v", version, r.Version)
	}
	if err != nil {
		t.Errorf("its rooms: %v", err)
	}
	if _, _, err := note(id.New[id.Reservation](), r.Hold.Allocations[1]); !errors.Is(err, ErrNotFound) {
		t.Errorf("an unknown reservation: %v", err)
	}
}

func TestRoomsTaken_concurrently(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	e := db.Env()
	s := OpenReservations(e)
	for range 25 {
		r := aStored(t, e, id.New[id.Tenant]())
		note := func(a id.Allocation) func() {
			return func() {
				if err := s.In(t.Context(), r.Tenant, func(tx postgres.Tx) error { return s.RoomsTaken(t.Context(), tx, r.Tenant, r.ID, a) }); err != nil {
					t.Error(err)
				}
			}
		}
		together(note(r.Hold.Allocations[0]), note(r.Hold.Allocations[1]), note(r.Hold.Allocations[0]))
		if read, err := s.Get(t.Context(), access.Scope{Tenant: r.Tenant}, r.ID); err != nil || read.Saga.Pending != AwaitPayment {
			t.Fatalf("it waits for %v, %v; want %s", read.Saga.Pending, err, AwaitPayment)
		}
	}
}
