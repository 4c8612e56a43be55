package booking

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"melmastoon.ghasi.io/functions/reservation/internal/access"
	"melmastoon.ghasi.io/functions/reservation/internal/account"
	"melmastoon.ghasi.io/functions/reservation/internal/quotes"
	"melmastoon.ghasi.io/functions/reservation/internal/quotestest"
	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/platform/postgres"
	"melmastoon.ghasi.io/shared/stay"
	"melmastoon.ghasi.io/shared/testkit/pgtest"
)

// A fakeLocks is a lock service that answers as it is set.
type fakeLocks struct {
	status  KeyStatus
	err     error
	revoked []id.KeyCredential
}

func (l *fakeLocks) Issue(context.Context, *Reservation, Key) (KeyStatus, error) {
	return l.status, l.err
}

func (l *fakeLocks) Revoke(_ context.Context, _ id.Tenant, keys ...id.KeyCredential) error {
	l.revoked = append(l.revoked, keys...)
	return l.err
}

// A deskTest is the front desk of a hotel with two rooms of each type, with its stored reservation.
type deskTest struct {
	t             *testing.T
	db            *pgtest.Database
	fakeInventory *fakeInventory
	locks         *fakeLocks
	changer       *Changer
	rate          money.Micro // per room and night; the tax is 10
	asked         []quotes.Ask
	rooms         []Room
	r             *Reservation
	now           time.Time
}

// openDeskTest returns a front desk with a confirmed reservation of two rooms from 1 to 3 December, at noon on 20 November.
func openDeskTest(t *testing.T) *deskTest {
	t.Helper()
	return deskOn(t, pgtest.New(t))
}

// deskOn is like openDeskTest in a database that other tests use too.
func deskOn(t *testing.T, db *pgtest.Database) *deskTest {
	t.Helper()
	c := &deskTest{t: t, db: db, locks: &fakeLocks{status: KeyIssued}, rate: 100_000_000, now: noon, r: aStoredBooking(t, db, id.New[id.Tenant]())}
	c.fakeInventory = newFakeInventory(func() time.Time { return c.now }, 1)
	for i, a := range c.r.Hold.Allocations {
		c.fakeInventory.taken[a] = &room{roomType: c.r.Items[i].RoomType, committed: true}
	}
	c.rooms, _ = roomsFor(c.r)
	c.changer = OpenChanger(db.Env(), Upstreams{Inventory: c.fakeInventory, Payments: newFakePayments()})
	c.changer.inventory, c.changer.now = c.fakeInventory, func() time.Time { return c.now }
	c.changer.keys.locks, c.changer.keys.now = c.locks, c.changer.now
	c.changer.learn = func(context.Context, *Reservation) error { return nil }
	c.changer.rooms = func(context.Context, id.Tenant, id.Property) ([]Room, error) { return c.rooms, nil }
	c.changer.pricing = func(_ context.Context, _ id.Tenant, a quotes.Ask) (quotes.Price, error) {
		c.asked = append(c.asked, a)
		return c.price(a), nil
	}
	return c
}

// price returns the price of an ask: the rate and 2.50 tax per room and night.
func (c *deskTest) price(a quotes.Ask) quotes.Price {
	return quotestest.PriceAt(a, c.now.Add(time.Hour), c.rate)
}

func (c *deskTest) call(act id.Request) ChangeCall {
	return ChangeCall{
		Principal: access.Principal{Scope: access.Scope{Tenant: c.r.Tenant}, Actor: access.Actor{Type: access.Staff, ID: "usr_desk"}},
		Act:       act, Reservation: c.r.ID, Allows: func(int64) bool { return true },
	}
}

// stored returns the reservation as it is stored.
func (c *deskTest) stored() *Reservation {
	c.t.Helper()
	r, err := c.changer.reservations.Get(c.t.Context(), access.Scope{Tenant: c.r.Tenant}, c.r.ID)
	if err != nil {
		c.t.Fatal(err)
	}
	return r
}

// checkIn checks the guest in on the arrival day.
func (c *deskTest) checkIn() {
	c.t.Helper()
	c.now = arrival
	r := c.stored()
	var rooms []AssignedRoom
	for i, item := range r.Items {
		rooms = append(rooms, AssignedRoom{item.ID, c.rooms[i].ID})
	}
	if _, err := r.StartCheckIn(rooms, c.rooms, access.Actor{Type: access.Staff, ID: "usr_desk"}, c.now); err != nil {
		c.t.Fatal(err)
	}
	if err := save(c.t, c.changer.reservations, r, CheckInBegun(r)); err != nil {
		c.t.Fatal(err)
	}
	if r, err := c.changer.keys.Ask(c.t.Context(), access.Scope{Tenant: r.Tenant}, r.ID); err != nil || r.State != CheckedIn {
		c.t.Fatalf("Ask() = %v, %v", r.State, err)
	}
}

func (c *deskTest) stay(start, end string) stay.Window {
	return stay.Window{Start: night(c.t, start), End: night(c.t, end)}
}

func TestDates(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	for _, test := range []struct {
		name       string
		start, end string
		rate       money.Micro
		total      money.Micro
		request    string // direction and amount
	}{
		{"longer costs more", "2037-12-01", "2037-12-04", 100_000_000, 615_000_000, "charge 205000000"},
		{"shorter gives money back", "2037-12-01", "2037-12-02", 100_000_000, 205_000_000, "refund 205000000"},
		{"later at another rate", "2037-12-11", "2037-12-13", 150_000_000, 610_000_000, "charge 200000000"},
		{"the same price", "2037-12-11", "2037-12-13", 100_000_000, 410_000_000, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			c := deskOn(t, db)
			c.rate = test.rate
			to := c.stay(test.start, test.end)
			act := id.New[id.Request]()
			r, m, err := c.changer.Change(t.Context(), c.call(act), c.changer.Dates(act, to))
			if err != nil {
				t.Fatal(err)
			}
			request := ""
			if m.Request != nil {
				request = m.Request.Direction + " " + strconv.FormatInt(int64(m.Request.Amount), 10)
			}
			if request != test.request {
				t.Errorf("request = %q, want %q", request, test.request)
			}
			if r.Total != test.total {
				t.Errorf("Total = %d, want %d", r.Total, test.total)
			}
			got := c.stored()
			if got.Stay != to {
				t.Errorf("stored stay = %v, want %v", got.Stay, to)
			}
			if got.Saga.Pending != "" || got.Saga.Plan != nil {
				t.Errorf("the reservation still waits for %q", got.Saga.Pending)
			}
			if let := c.fakeInventory.let(got); let != 2 {
				t.Errorf("%d rooms are taken, want 2", let)
			}
			if events := published(t, c.db, c.r); !slices.Equal(events, []string{"held", "confirmed", "modified", "dates_changed"}) {
				t.Errorf("published %v", events)
			}
			if kept, owed := got.Payment.kept(), min(got.Total, c.r.Total); kept != owed {
				t.Errorf("kept() = %d, want %d", kept, owed)
			}
		})
	}
}

// A refusal changes nothing, and the same call is refused again.
func TestDates_soldOut(t *testing.T) {
	t.Parallel()
	c := openDeskTest(t)
	c.fakeInventory.rooms = 0
	act := id.New[id.Request]()
	for range 2 {
		_, _, err := c.changer.Change(t.Context(), c.call(act), c.changer.Dates(act, c.stay("2037-12-01", "2037-12-05")))
		if !errors.Is(err, ErrOverbooked) {
			t.Errorf("Change() = %v, want %v", err, ErrOverbooked)
		}
	}
	got := c.stored()
	if got.Stay != c.r.Stay || got.Total != c.r.Total {
		t.Errorf("the stay is %v for %d, want %v for %d", got.Stay, got.Total, c.r.Stay, c.r.Total)
	}
	if got.Saga.Plan != nil {
		t.Errorf("the plan %v is still stored", got.Saga.Plan)
	}
	if !slices.Equal(got.Hold.Allocations, c.r.Hold.Allocations) {
		t.Errorf("Allocations = %v, want %v", got.Hold.Allocations, c.r.Hold.Allocations)
	}
	if events := published(t, c.db, c.r); !slices.Equal(events, []string{"held", "confirmed"}) {
		t.Errorf("published %v", events)
	}
}

func TestDates_dryRun(t *testing.T) {
	t.Parallel()
	c := openDeskTest(t)
	act := id.New[id.Request]()
	dry := c.call(act)
	dry.DryRun = true
	_, planned, err := c.changer.Change(t.Context(), dry, c.changer.Dates(act, c.stay("2037-12-01", "2037-12-04")))
	if err != nil {
		t.Fatal(err)
	}
	if got := c.stored(); got.Version != c.r.Version || len(got.Modified) != 0 {
		t.Errorf("the dry run stored version %d with %d modifications", got.Version, len(got.Modified))
	}
	_, made, err := c.changer.Change(t.Context(), c.call(act), c.changer.Dates(act, c.stay("2037-12-01", "2037-12-04")))
	if err != nil {
		t.Fatal(err)
	}
	if *planned.PriceDelta != *made.PriceDelta || planned.Request.Amount != made.Request.Amount {
		t.Errorf("the dry run said %d %v, the change %d %v", *planned.PriceDelta, *planned.Request, *made.PriceDelta, *made.Request)
	}
}

// The earlier deadline counts: moving the stay to next month does not make a late cancellation free.
func TestDates_deadline(t *testing.T) {
	t.Parallel()
	c := openDeskTest(t)
	c.now = arrival.AddDate(0, 0, -1) // after the deadline of 29 November
	act := id.New[id.Request]()
	r, _, err := c.changer.Change(t.Context(), c.call(act), c.changer.Dates(act, c.stay("2038-01-01", "2038-01-03")))
	if err != nil {
		t.Fatal(err)
	}
	if got := account.Sum(r.penalty(c.now)); got != 205_000_000 {
		t.Errorf("penalty() = %d, want 205000000", got)
	}
}

// A process ends after each step. The repetition of the call, or the watch, completes the change once.
func TestDates_crash(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	broken := errors.New("the process ends")
	for _, test := range []struct {
		name    string
		reached bool // inventory has exchanged the rooms before the end
		watch   bool
	}{
		{"before inventory, repeated", false, false}, {"before inventory, watched", false, true},
		{"after inventory, repeated", true, false}, {"after inventory, watched", true, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			c := deskOn(t, db)
			act, to := id.New[id.Request](), c.stay("2037-12-01", "2037-12-04")
			c.changer.inventory = ends{c.fakeInventory, test.reached, broken}
			if _, _, err := c.changer.Change(t.Context(), c.call(act), c.changer.Dates(act, to)); !errors.Is(err, broken) {
				t.Fatalf("Change() = %v, want %v", err, broken)
			}
			if got := c.stored(); got.Saga.Pending != AwaitReallocation || got.Stay != c.r.Stay {
				t.Fatalf("waits for %q with stay %v, want %q and the old stay", got.Saga.Pending, got.Stay, AwaitReallocation)
			}
			c.changer.inventory = c.fakeInventory
			if test.watch {
				w := OpenWatcher(c.db.Env(), Upstreams{Inventory: c.fakeInventory, Payments: newFakePayments()})
				w.changer = c.changer
				got := c.stored()
				if err := w.Retry(t.Context(), StuckStep{Tenant: got.Tenant, Reservation: got.ID, Since: *got.Saga.Since}); err != nil {
					t.Fatal(err)
				}
			}
			if _, _, err := c.changer.Change(t.Context(), c.call(act), c.changer.Dates(act, to)); err != nil {
				t.Fatal(err)
			}
			got := c.stored()
			if got.Stay != to || len(got.Modified) != 1 {
				t.Errorf("stay %v after %d modifications, want %v after one", got.Stay, len(got.Modified), to)
			}
			if let := c.fakeInventory.let(got); let != 2 {
				t.Errorf("%d rooms are taken, want 2", let)
			}
		})
	}
}

// ends is an inventory whose caller ends with an error, after inventory has decided if reached.
type ends struct {
	*fakeInventory
	reached bool
	err     error
}

func (e ends) Reallocate(ctx context.Context, r *Reservation, releases []id.Allocation, takes []Take) error {
	if e.reached {
		if err := e.fakeInventory.Reallocate(ctx, r, releases, takes); err != nil {
			return err
		}
	}
	return e.err
}

// Of a guest in house only the departure changes. The night slept keeps its price, and the keys are issued anew.
func TestDates_inHouse(t *testing.T) {
	t.Parallel()
	c := openDeskTest(t)
	c.checkIn()
	keys := c.stored().keys(KeyIssued)
	c.now = arrival.AddDate(0, 0, 1)
	c.rate = 200_000_000
	act := id.New[id.Request]()
	if _, _, err := c.changer.Change(t.Context(), c.call(act), c.changer.Dates(act, c.stay("2037-12-02", "2037-12-05"))); !errors.Is(err, fault.ErrValidation) {
		t.Errorf("another arrival: %v, want %v", err, fault.ErrValidation)
	}
	r, m, err := c.changer.Change(t.Context(), c.call(act), c.changer.Dates(act, c.stay("2037-12-01", "2037-12-05")))
	if err != nil {
		t.Fatal(err)
	}
	if last := c.asked[len(c.asked)-1].Stay; last != c.stay("2037-12-02", "2037-12-05") {
		t.Errorf("priced %v, want the nights from today on", last)
	}
	// Of 410 for two nights, 205 stay for the first; three nights in two rooms at 200 cost 1,215 with tax.
	if r.Total != 1_420_000_000 {
		t.Errorf("Total = %d, want 1420000000", r.Total)
	}
	if m.Request == nil {
		t.Fatal("the change requests no charge")
	}
	if m.Request.Amount != 1_010_000_000 || m.Request.Direction != "charge" {
		t.Errorf("Request = %v, want a charge of 1010000000", m.Request)
	}
	if r.State != CheckedIn || r.Saga.Pending != "" {
		t.Errorf("state %s waits for %q, want %s", r.State, r.Saga.Pending, CheckedIn)
	}
	if again := r.keys(KeyIssued); len(again) != 2 || slices.Contains(again, keys[0]) {
		t.Errorf("keys %v, want two new ones instead of %v", again, keys)
	}
}

func TestModify(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	for _, test := range []struct {
		name    string
		propose func(*deskTest, id.Request) Proposal
		total   money.Micro
		rooms   int // taken
		kind    ModificationType
	}{
		{"more guests", func(c *deskTest, _ id.Request) Proposal {
			return c.changer.Occupants(c.r.Items[0].ID, stay.Occupants{Adults: 3})
		}, 410_000_000, 2, GuestCountChange},
		{"another type", func(c *deskTest, act id.Request) Proposal {
			other := id.New[id.RoomType]()
			return c.changer.Room(act, RoomMove{Item: c.r.Items[0].ID, RoomType: &other})
		}, 410_000_000, 1, RoomChange},
		{"a free upgrade", func(c *deskTest, act id.Request) Proposal {
			other := id.New[id.RoomType]()
			return c.changer.Room(act, RoomMove{Item: c.r.Items[0].ID, RoomType: &other, Complimentary: true})
		}, 410_000_000, 1, RoomChange},
		{"another room", func(c *deskTest, act id.Request) Proposal {
			return c.changer.Add(act, quotes.AskedItem{RoomType: id.New[id.RoomType](), RatePlan: id.New[id.RatePlan](), Occupants: stay.Occupants{Adults: 1}})
		}, 615_000_000, 2, RoomAdded},
		{"a room less", func(c *deskTest, _ id.Request) Proposal { return c.changer.Remove(c.r.Items[1].ID) }, 205_000_000, 1, RoomRemoved},
		{"another rate", func(c *deskTest, _ id.Request) Proposal {
			return c.changer.Rate(c.r.Items[0].ID, 80_000_000, "loyal guest")
		}, 370_000_000, 2, RateChange},
		{"another channel", func(c *deskTest, _ id.Request) Proposal { return c.changer.Channel(OTA, "ota-1", "typed wrong") }, 410_000_000, 2, ChannelCorrected},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			c := deskOn(t, db)
			act := id.New[id.Request]()
			r, m, err := c.changer.Change(t.Context(), c.call(act), test.propose(c, act))
			if err != nil {
				t.Fatal(err)
			}
			if r.Total != test.total {
				t.Errorf("Total = %d, want %d", r.Total, test.total)
			}
			if m.Type != test.kind {
				t.Errorf("type %s, want %s", m.Type, test.kind)
			}
			got := c.stored()
			if len(got.Items) != len(got.Hold.Allocations) {
				t.Errorf("%d allocations for %d items", len(got.Hold.Allocations), len(got.Items))
			}
			if let := c.fakeInventory.let(c.r); let != test.rooms {
				t.Errorf("%d rooms of the first types are taken, want %d", let, test.rooms)
			}
			if got.Saga.Pending != "" {
				t.Errorf("waits for %q, want nothing", got.Saga.Pending)
			}
			if kept, want := got.Payment.kept(), min(got.Total, c.r.Total); kept != want {
				t.Errorf("kept() = %d, want %d", kept, want)
			}
			if events := published(t, c.db, c.r); !slices.Equal(events, []string{"held", "confirmed", "modified"}) {
				t.Errorf("published %v", events)
			}
		})
	}
}

func TestOverride_states(t *testing.T) {
	t.Parallel()
	for _, from := range all {
		for _, to := range all {
			r := confirmedOne(t)
			r.State = from
			if from == CheckedOut {
				now := arrival
				r.CheckOut = &CheckOut{At: &now}
			}
			_, err := r.override(id.New[id.Request](), to, "typed wrong", arrival)
			allowed := from == NoShow && to == Confirmed || from == CheckInStarted && to == Confirmed || from == CheckedOut && to == CheckedIn
			if (err == nil) != allowed {
				t.Errorf("from %s to %s: %v, want allowed %v", from, to, err, allowed)
			}
		}
	}
}

// The guest leaves the rooms again, and the keys on their way open nothing.
func TestOverride_checkInStarted(t *testing.T) {
	t.Parallel()
	c := openDeskTest(t)
	c.locks.status = KeyPending
	c.now = arrival
	r := c.stored()
	var rooms []AssignedRoom
	for i, item := range r.Items {
		rooms = append(rooms, AssignedRoom{item.ID, c.rooms[i].ID})
	}
	if _, err := r.StartCheckIn(rooms, c.rooms, access.Actor{Type: access.Staff, ID: "usr_desk"}, c.now); err != nil {
		t.Fatal(err)
	}
	if err := save(t, c.changer.reservations, r, CheckInBegun(r)); err != nil {
		t.Fatal(err)
	}
	late := r.Keys[0]
	act := id.New[id.Request]()
	r, m, err := c.changer.Change(t.Context(), c.call(act), c.changer.Override(act, Confirmed, "the wrong guest"))
	if err != nil {
		t.Fatal(err)
	}
	if r.State != Confirmed || r.CheckIn != nil {
		t.Errorf("state %s with check-in %v, want %s without", r.State, r.CheckIn, Confirmed)
	}
	if rooms := r.Rooms(); len(rooms) != 0 {
		t.Errorf("Rooms() = %v, want none", rooms)
	}
	if m.Type != StateOverride {
		t.Errorf("type %s, want %s", m.Type, StateOverride)
	}
	late.Status = KeyIssued
	if err := c.changer.keys.Report(t.Context(), access.Scope{Tenant: r.Tenant}, r.ID, late, func(ctx context.Context, f func(postgres.Tx) error) error {
		return c.changer.reservations.In(ctx, r.Tenant, f)
	}); err != nil {
		t.Fatal(err)
	}
	if !slices.Contains(c.locks.revoked, late.ID) {
		t.Errorf("revoked %v, want %v", c.locks.revoked, late.ID)
	}
}

// A guest with an assigned room moves to later nights. The nights before are free for other guests at once.
func TestDates_assignedRoomLater(t *testing.T) {
	t.Parallel()
	c := openDeskTest(t)
	act := id.New[id.Request]()
	if _, _, err := c.changer.Change(t.Context(), c.call(act), c.changer.Room(act, RoomMove{Item: c.r.Items[0].ID, Room: &c.rooms[0].ID})); err != nil {
		t.Fatal(err)
	}
	act = id.New[id.Request]()
	if _, _, err := c.changer.Change(t.Context(), c.call(act), c.changer.Dates(act, c.stay("2037-12-10", "2037-12-12"))); err != nil {
		t.Fatal(err)
	}
	rows, _ := c.db.Owner(t).Query(t.Context(), `SELECT night::text FROM reservation.room_nights WHERE reservation_id = @reservation ORDER BY night`,
		pgx.StrictNamedArgs{"reservation": c.r.ID})
	nights, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"2037-12-10", "2037-12-11"}; !slices.Equal(nights, want) {
		t.Errorf("the room is taken in the nights %v, want %v", nights, want)
	}
}

// Two items of a reservation never get one physical room. After the last night, a guest in house can move until the check-out.
func TestRoom_physical(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	for _, test := range []struct {
		name string
		at   time.Time // 11:59 and 12:01 of 3 December, the day of departure, and the day after
		to   int       // index of the rooms
		want error
	}{
		{"room_of_other_item", arrival, 1, ErrRoomUnavailable},
		{"other_room", arrival, 2, nil},
		{"last_night", time.Date(2037, 12, 2, 19, 50, 0, 0, time.UTC), 2, nil},
		{"before_check_out_time", time.Date(2037, 12, 3, 7, 29, 0, 0, time.UTC), 2, nil},
		{"after_check_out_time", time.Date(2037, 12, 3, 7, 31, 0, 0, time.UTC), 2, nil},
		{"overstayed", time.Date(2037, 12, 4, 7, 30, 0, 0, time.UTC), 2, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			c := deskOneType(t, db)
			c.checkIn()
			c.now = test.at
			act := id.New[id.Request]()
			_, _, err := c.changer.Change(t.Context(), c.call(act), c.changer.Room(act, RoomMove{Item: c.r.Items[0].ID, Room: &c.rooms[test.to].ID}))
			if !errors.Is(err, test.want) {
				t.Fatalf("Change() = %v, want %v", err, test.want)
			}
			want := c.rooms[test.to].ID
			if test.want != nil {
				want = c.rooms[0].ID
			}
			if got := *c.stored().Items[0].Room; got != want {
				t.Errorf("the guest has room %v, want %v", got, want)
			}
			leave := c.stored()
			if _, err := leave.Leave(LeaveWish{By: access.Actor{Type: access.Staff, ID: "usr_desk"}}, c.now); err != nil {
				t.Fatal(err)
			}
			if err := save(t, c.changer.reservations, leave, CheckOutBegun(leave)); err != nil {
				t.Fatal(err)
			}
			act = id.New[id.Request]()
			if _, _, err := c.changer.Change(t.Context(), c.call(act), c.changer.Room(act, RoomMove{Item: c.r.Items[0].ID, Room: &c.rooms[3].ID})); !errors.Is(err, ErrIllegalTransition) {
				t.Errorf("while the guest leaves: %v, want %v", err, ErrIllegalTransition)
			}
		})
	}
}

// deskOneType is like deskOn with both items of one type, and two free rooms of it.
func deskOneType(t *testing.T, db *pgtest.Database) *deskTest {
	t.Helper()
	c := deskOn(t, db)
	r := c.stored()
	r.Items[1].RoomType = r.Items[0].RoomType
	r.unsaved.items, r.Version = true, r.Version+1
	if err := save(t, c.changer.reservations, r); err != nil {
		t.Fatal(err)
	}
	c.r, c.fakeInventory.rooms = r, 2
	c.rooms, _ = roomsFor(r)
	for range 2 {
		c.rooms = append(c.rooms, Room{ID: id.New[id.Room](), Type: r.Items[0].RoomType})
	}
	return c
}

// A versionRace lets another writer save the reservation while inventory releases its rooms.
type versionRace struct {
	*fakeInventory
	meanwhile func()
}

func (v *versionRace) Reallocate(ctx context.Context, r *Reservation, releases []id.Allocation, takes []Take) error {
	if v.meanwhile != nil {
		v.meanwhile()
		v.meanwhile = nil
	}
	return v.fakeInventory.Reallocate(ctx, r, releases, takes)
}

// A change whose completion meets a version conflict is completed all the same, and answers what is stored.
func TestComplete_versionConflict(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	for name, propose := range map[string]func(*deskTest, id.Request) Proposal{
		"release": func(c *deskTest, _ id.Request) Proposal { return c.changer.Remove(c.r.Items[1].ID) },
		"reallocation": func(c *deskTest, act id.Request) Proposal {
			return c.changer.Dates(act, c.stay("2037-12-01", "2037-12-02"))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := deskOn(t, db)
			c.changer.inventory = &versionRace{c.fakeInventory, func() {
				r := c.stored()
				r.Version++
				if err := save(t, c.changer.reservations, r); err != nil {
					t.Error(err)
				}
			}}
			act := id.New[id.Request]()
			r, m, err := c.changer.Change(t.Context(), c.call(act), propose(c, act))
			if err != nil {
				t.Fatal(err)
			}
			got := c.stored()
			if got.Saga.Pending != "" || got.Saga.Plan != nil {
				t.Errorf("the stored reservation waits for %q", got.Saga.Pending)
			}
			if r.Version != got.Version || r.Saga.Pending != got.Saga.Pending {
				t.Errorf("answered version %d that waits for %q, stored %d %q", r.Version, r.Saga.Pending, got.Version, got.Saga.Pending)
			}
			if len(got.Modified) != 1 || got.Modified[0].ID != m.ID {
				t.Errorf("%d modifications, want the answered one", len(got.Modified))
			}
		})
	}
}

// Keys that the lock service issued on its own before the check-in are revoked there if they open another room. Each key is revoked once,
// also if the lock service does not answer at first, and also after later changes.
func TestIssuer_revokes(t *testing.T) {
	t.Parallel()
	c := openDeskTest(t)
	c.rooms = append(c.rooms, Room{ID: id.New[id.Room](), Type: c.rooms[0].Type})
	r := c.stored()
	keys := map[string]Key{}
	for name, room := range map[string]id.Room{"own": c.rooms[0].ID, "other": c.rooms[2].ID} {
		keys[name] = Key{ID: id.New[id.KeyCredential](), Item: r.Items[0].ID, Room: room, Status: KeyIssued}
		if _, err := r.SetKey(keys[name]); err != nil {
			t.Fatal(err)
		}
	}
	if err := save(t, c.changer.reservations, r); err != nil {
		t.Fatal(err)
	}
	c.now = arrival
	_, rooms := c.rooms, []AssignedRoom{{r.Items[0].ID, c.rooms[0].ID}, {r.Items[1].ID, c.rooms[1].ID}}
	desk := &Receptionist{reservations: c.changer.reservations, rooms: c.changer.rooms, keys: c.changer.keys}
	c.locks.status = KeyPending // the key comes later
	by := access.Principal{Scope: access.Scope{Tenant: r.Tenant}, Actor: access.Actor{Type: access.Staff, ID: "usr_desk"}}
	for range 3 { // the watch asks again
		if _, err := desk.CheckIn(t.Context(), by, r.ID, rooms, c.now, func(int64) bool { return true }); err != nil {
			t.Fatal(err)
		}
	}
	if want := []id.KeyCredential{keys["other"].ID}; !slices.Equal(c.locks.revoked, want) {
		t.Errorf("revoked %v, want %v", c.locks.revoked, want)
	}
	c.locks.status = KeyIssued
	if _, err := c.changer.keys.Ask(t.Context(), access.Scope{Tenant: r.Tenant}, r.ID); err != nil {
		t.Fatal(err)
	}
	own := c.stored().keys(KeyIssued)
	act := id.New[id.Request]()
	c.locks.revoked = nil
	if _, _, err := c.changer.Change(t.Context(), c.call(act), c.changer.Room(act, RoomMove{Item: r.Items[0].ID, Room: &c.rooms[2].ID})); err != nil {
		t.Fatal(err)
	}
	if slices.Contains(c.locks.revoked, keys["other"].ID) || len(c.locks.revoked) != len(own)-1 {
		t.Errorf("the change revoked %v, want the %d keys of the room that was left", c.locks.revoked, len(own)-1)
	}
}
