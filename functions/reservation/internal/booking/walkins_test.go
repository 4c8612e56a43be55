package booking

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"melmastoon.ghasi.io/functions/reservation/internal/access"
	"melmastoon.ghasi.io/functions/reservation/internal/guests"
	"melmastoon.ghasi.io/functions/reservation/internal/quotes"
	"melmastoon.ghasi.io/functions/reservation/internal/quotestest"
	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/stay"
	"melmastoon.ghasi.io/shared/testkit/pgtest"
)

// errCut is the failure of a call whose answer is lost, or that does not take place.
var errCut = fault.ErrUpstreamUnavailable.Saying("cut off")

// A walkInTest is the front desk of a hotel with one room of each type. It can fail at any of its steps.
type walkInTest struct {
	*WalkIns
	db            *pgtest.Database
	fakeInventory *fakeInventory
	fakePayments  *fakePayments
	rooms         []Room
	in            DeskBooking
	by            access.Principal
	act           id.Request
	t             testing.TB

	process *process
	fail    int64        // the step that fails; 0: none does
	done    atomic.Int64 // steps so far
}

// step counts a step and fails if it is the one to fail.
func (l *walkInTest) step() error {
	if l.done.Add(1) == l.fail {
		return errCut
	}
	return l.process.call()
}

// inLobby returns a front desk in Kabul where a guest asks for two rooms from today on.
func inLobby(t testing.TB, db *pgtest.Database) *walkInTest {
	t.Helper()
	return lobbyOn(t, db, &process{})
}

// lobbyOn is like inLobby, in the given simulated process.
func lobbyOn(t testing.TB, db *pgtest.Database, p *process) *walkInTest {
	t.Helper()
	e := p.traced(db.Env()).With("GUEST_SALT_KEYS", "test:"+base64.StdEncoding.EncodeToString(bytes.Repeat([]byte{7}, 32)))
	l := &walkInTest{db: db, fakeInventory: newFakeInventory(e.Now, 1), fakePayments: newFakePayments(), act: id.New[id.Request](), t: t, process: p}
	ask := quotestest.Ask()
	ask.Session, ask.Promo = nil, ""
	ask.Stay.Start = quotestest.Basis().BusinessDate(e.Now())
	ask.Stay.End = ask.Stay.Start.AddDays(2)
	l.by = access.Principal{Scope: access.Scope{Tenant: id.New[id.Tenant](), Properties: []id.Property{ask.Property}}, Actor: access.Actor{Type: access.Staff, ID: "usr_desk"}, Roles: []string{access.FrontDesk}}
	l.in = DeskBooking{Ask: ask, Method: CashOnArrival, Guest: guests.Person{FirstName: "Zarghona", LastName: "Ahmadzai", Email: "z@example.com", Phone: "+93700123456", Locale: "fa-AF"}}
	for i, item := range ask.Items {
		l.rooms = append(l.rooms, Room{ID: id.New[id.Room](), Type: item.RoomType})
		l.in.Rooms = append(l.in.Rooms, AskedRoom{Item: i, Room: l.rooms[i].ID})
	}
	walkIns, err := OpenWalkIns(e, Upstreams{Inventory: l.fakeInventory, Payments: l.fakePayments})
	if err != nil {
		t.Fatal(err)
	}
	l.WalkIns = walkIns
	l.Quoter.Local = func(context.Context, id.Tenant, id.Property) (quotes.Local, error) {
		return quotestest.Basis().Local, l.step()
	}
	l.Quoter.Settings = func(context.Context, id.Tenant) quotes.Settings { return quotestest.Basis().Settings }
	l.Holder.Settings = l.Quoter.Settings
	l.Quoter.Price = func(_ context.Context, _ id.Tenant, a quotes.Ask) (quotes.Price, error) {
		return quotestest.Price(a, e.Now().Add(time.Hour)), l.step()
	}
	l.Holder.Place = func(ctx context.Context, r *Reservation, h Hold) (HoldResult, error) {
		if err := l.step(); err != nil {
			return HoldResult{}, err
		}
		placed, err := l.fakeInventory.Hold(ctx, r, h)
		return placed, errors.Join(err, l.step())
	}
	confirmer := &Confirmer{OpenReservations(e), l.fakeInventory, l.fakePayments, e.Now, nil}
	l.Confirm = func(ctx context.Context, c Claim, w Within) (*Reservation, error) {
		if err := l.step(); err != nil {
			return nil, err
		}
		r, err := confirmer.Confirm(ctx, c, w)
		return r, errors.Join(err, l.step())
	}
	l.Receptionist.rooms = func(context.Context, id.Tenant, id.Property) ([]Room, error) { return l.rooms, l.step() }
	l.Receptionist.keys.locks = &fakeLocks{status: KeyIssued}
	return l
}

func (l *walkInTest) book() (*Reservation, error) {
	return l.Book(l.t.Context(), l.act, l.by, l.in, l.db.Env().Now())
}

// stored returns the reservations of the tenant.
func (l *walkInTest) stored() (all []*Reservation) {
	l.t.Helper()
	all, err := l.Holder.Reservations.list(l.t.Context(), l.by.Scope, selectReservations,
		pgx.StrictNamedArgs{"tenant": l.by.Tenant, "properties": l.by.Properties})
	if err != nil {
		l.t.Fatal(err)
	}
	return all
}

func TestWalkIn(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	for _, test := range []struct {
		name   string
		given  func(*walkInTest)
		state  State
		events []string
	}{
		{"with rooms", func(*walkInTest) {}, CheckedIn, []string{"held", "confirmed", "check_in_started", "checked_in"}},
		{"without rooms", func(l *walkInTest) { l.in.Rooms = nil }, Confirmed, []string{"held", "confirmed"}},
		{"with a request", func(l *walkInTest) { l.in.Rooms, l.in.Guest.Requests = nil, "A cot, please." }, Confirmed, []string{"held", "special_request.added", "confirmed"}},
		{"while the lock service is away", func(l *walkInTest) { l.Receptionist.keys.locks = &fakeLocks{err: errCut} }, CheckInStarted, []string{"held", "confirmed", "check_in_started"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			l := inLobby(t, db)
			test.given(l)
			r, err := l.book()
			if err != nil {
				t.Fatal(err)
			}
			if r.State != test.state {
				t.Errorf("the state is %s, want %s", r.State, test.state)
			}
			if r.Channel != WalkIn {
				t.Errorf("the channel is %s, want %s", r.Channel, WalkIn)
			}
			if r.CreatedBy != l.by.Actor {
				t.Errorf("created by %v, want %v", r.CreatedBy, l.by.Actor)
			}
			if got := published(t, l.db, r); !slices.Equal(got, test.events) {
				t.Errorf("published %v, want %v", got, test.events)
			}
			stored, err := l.Holder.Reservations.Get(t.Context(), l.by.Scope, r.ID)
			if err != nil {
				t.Fatal(err)
			}
			if stored.Person == nil || stored.Person.LastName != "Ahmadzai" {
				t.Errorf("the guest is %v, want Ahmadzai", stored.Person)
			}
			if got := stored.Balance().Due; got != stored.Total {
				t.Errorf("%d are due, want %d", got, stored.Total)
			}
		})
	}
}

func TestWalkIn_refuses(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	for _, test := range []struct {
		name   string
		given  func(*walkInTest)
		want   error
		events []string // of the reservation, if there is one
	}{
		{"a stay from tomorrow on", func(l *walkInTest) {
			l.in.Ask.Stay.Start = quotestest.Basis().Date(l.db.Env().Now()).AddDays(1)
			l.in.Ask.Stay.End = l.in.Ask.Stay.Start.AddDays(2)
		}, fault.ErrValidation, nil},
		{"a stay from yesterday on", func(l *walkInTest) {
			l.in.Ask.Stay = stay.Window{Start: l.in.Ask.Stay.Start.AddDays(-1), End: l.in.Ask.Stay.End}
		}, fault.ErrValidation, nil},
		{"another property", func(l *walkInTest) { l.in.Ask.Property = id.New[id.Property]() }, ErrNotFound, nil},
		{"a full house", func(l *walkInTest) { l.fakeInventory.rooms = 0 }, ErrOverbooked, nil},
		{"a room of another type", func(l *walkInTest) { l.rooms[0].Type = id.New[id.RoomType]() }, ErrRoomUnavailable, nil},
		{"one room for two items", func(l *walkInTest) {
			l.in.Ask.Items[1].RoomType = l.in.Ask.Items[0].RoomType
			l.in.Rooms[1].Room = l.in.Rooms[0].Room
		}, ErrRoomUnavailable, nil},
		{"a room out of order", func(l *walkInTest) { l.rooms[0].OutOfOrder = &OutOfOrder{l.in.Ask.Stay.Start, l.in.Ask.Stay.End} }, ErrRoomUnavailable, nil},
		{"a method that the payment service rejects", func(l *walkInTest) {
			l.Confirm = func(context.Context, Claim, Within) (*Reservation, error) { return nil, fault.ErrValidation }
		}, fault.ErrValidation, []string{"held", "cancelled"}},
		{"rooms that inventory has lost", func(l *walkInTest) {
			l.Confirm = func(context.Context, Claim, Within) (*Reservation, error) { return nil, ErrHoldExpired }
		}, ErrHoldExpired, []string{"held", "cancelled"}},
		{"to decide while the payment service is away", func(l *walkInTest) {
			l.Confirm = func(context.Context, Claim, Within) (*Reservation, error) { return nil, errCut }
		}, errCut, []string{"held"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			l := inLobby(t, db)
			test.given(l)
			if _, err := l.book(); !errors.Is(err, test.want) {
				t.Errorf("Book() = %v, want %v", err, test.want)
			}
			r := &Reservation{Tenant: l.by.Tenant, ID: ReservationID(l.act)}
			if got := published(t, l.db, r); !slices.Equal(got, test.events) {
				t.Errorf("published %v, want %v", got, test.events)
			}
		})
	}
}

// A room that a guest has is refused before anything is held.
func TestWalkIn_occupiedRoom(t *testing.T) {
	t.Parallel()
	l := inLobby(t, pgtest.New(t))
	if _, err := l.book(); err != nil {
		t.Fatal(err)
	}
	l.act, l.fakeInventory.rooms = id.New[id.Request](), 2
	if _, err := l.book(); !errors.Is(err, ErrRoomUnavailable) {
		t.Errorf("Book() = %v, want %v", err, ErrRoomUnavailable)
	}
	if got := len(l.stored()); got != 1 {
		t.Errorf("%d reservations, want 1", got)
	}
}

// Each step fails once: before it takes place, or after it. A repetition ends with one reservation and its rooms.
func TestWalkIn_crash(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	for fail := int64(1); ; fail++ {
		l := inLobby(t, db)
		l.fail = fail
		_, err := l.book()
		if l.done.Load() < fail {
			if fail < 10 {
				t.Errorf("%d steps, want more", fail-1)
			}
			return
		}
		if !errors.Is(err, errCut) {
			t.Fatalf("step %d: %v, want %v", fail, err, errCut)
		}
		l.wantOnce(fmt.Sprintf("after step %d", fail))
	}
}

// wantOnce repeats the walk-in. It fails the test unless the guest is then checked in, with one reservation and its rooms.
func (l *walkInTest) wantOnce(after string) {
	l.t.Helper()
	r, err := l.book()
	if err != nil {
		l.t.Fatalf("%s: %v", after, err)
	}
	if r.State != CheckedIn {
		l.t.Errorf("%s: the state is %s, want %s", after, r.State, CheckedIn)
	}
	if got := len(l.stored()); got != 1 {
		l.t.Errorf("%s: %d reservations, want 1", after, got)
	}
	if got := l.fakeInventory.let(r); got != len(r.Items) {
		l.t.Errorf("%s: %d rooms taken, want %d", after, got, len(r.Items))
	}
	if l.fakePayments.promises != 1 {
		l.t.Errorf("%s: %d promises, want 1", after, l.fakePayments.promises)
	}
	if got := published(l.t, l.db, r); !slices.Equal(got, []string{"held", "confirmed", "check_in_started", "checked_in"}) {
		l.t.Errorf("%s: published %v", after, got)
	}
}

func TestDeskBooking_Validate(t *testing.T) {
	t.Parallel()
	valid := func() DeskBooking {
		w := DeskBooking{Ask: quotestest.Ask(), Method: CashOnArrival, Guest: guests.Person{FirstName: "Zarghona", Email: "z@example.com", Phone: "+93700123456", Locale: "fa-AF"}}
		w.Rooms = []AskedRoom{{0, id.New[id.Room]()}, {1, id.New[id.Room]()}}
		return w
	}
	for _, test := range []struct {
		name   string
		change func(*DeskBooking)
		want   []string
	}{
		{"valid", func(*DeskBooking) {}, nil},
		{"without rooms", func(w *DeskBooking) { w.Rooms = nil }, nil},
		{"card", func(w *DeskBooking) { w.Method = Card }, []string{"/payment/method"}},
		{"no name", func(w *DeskBooking) { w.Guest.FirstName = "" }, []string{"/guest/firstName"}},
		{"no items", func(w *DeskBooking) { w.Ask.Items, w.Rooms = nil, nil }, []string{"/items"}},
		{"a room for one of two items", func(w *DeskBooking) { w.Rooms = w.Rooms[:1] }, nil},
		{"a room for an item that is not asked", func(w *DeskBooking) { w.Rooms[1].Item = 2 }, []string{"/rooms/1/item"}},
		{"two rooms for one item", func(w *DeskBooking) { w.Rooms[1].Item = 0 }, []string{"/rooms/1/item"}},
		{"an item below zero", func(w *DeskBooking) { w.Rooms[0].Item = -1 }, []string{"/rooms/0/item"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			w := valid()
			test.change(&w)
			var got []string
			if err := w.Validate(); err != nil {
				for _, v := range fault.From(err).Violations {
					got = append(got, v.Pointer)
				}
			}
			if !slices.Equal(got, test.want) {
				t.Errorf("violations at %v, want %v", got, test.want)
			}
		})
	}
}
