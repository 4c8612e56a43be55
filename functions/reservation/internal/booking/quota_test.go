package booking

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"melmastoon.ghasi.io/functions/reservation/internal/access"
	"melmastoon.ghasi.io/functions/reservation/internal/quotes"
	"melmastoon.ghasi.io/functions/reservation/internal/quotestest"
	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/platform/postgres"
	"melmastoon.ghasi.io/shared/stay"
	"melmastoon.ghasi.io/shared/testkit/pgtest"
)

// A siteTest is a hotel with many rooms of one type, whose site sends a quota with each hold.
type siteTest struct {
	t         testing.TB
	db        *pgtest.Database
	tenant    id.Tenant
	roomType  id.RoomType
	inventory *fakeInventory
	payments  *fakePayments
	holder    *Holder
	confirmer *Confirmer
	changer   *Changer
	first     stay.Date // the arrival
}

// A visit is an anonymous guest of the site.
type visit struct {
	session id.TenantSession
	quota   Quota
}

func openSiteTest(t testing.TB, db *pgtest.Database) *siteTest {
	t.Helper()
	e := db.Env()
	c := &siteTest{t: t, db: db, tenant: id.New[id.Tenant](), roomType: id.New[id.RoomType](), inventory: newFakeInventory(e.Now, 1000), payments: newFakePayments()}
	up := Upstreams{Inventory: c.inventory, Payments: c.payments, Locks: &fakeLocks{}, Sources: quotes.Sources{Settings: func(context.Context, id.Tenant) quotes.Settings { return quotes.DefaultSettings() }}}
	up.Price = func(_ context.Context, _ id.Tenant, a quotes.Ask) (quotes.Price, error) {
		return quotestest.Price(a, e.Now().Add(time.Hour)), nil
	}
	c.holder, c.confirmer, c.changer = OpenHolder(e, up), OpenConfirmer(e, up), OpenChanger(e, up)
	c.first = stay.DateOf(e.Now().AddDate(0, 0, 30))
	return c
}

// visit returns another guest: of another session at another address. The limits are those of the platform.
func (c *siteTest) visit() visit {
	return visit{id.New[id.TenantSession](), Quota{Address: fmt.Sprintf("sha256:%x", id.New[id.Event]()), Nights: 60, AddressNights: 300}}
}

// hold holds rooms for some nights, in place of another hold unless replaced is nil.
func (c *siteTest) hold(v visit, rooms, nights int, replaced *Reservation) (*Reservation, error) {
	c.t.Helper()
	item := quotes.AskedItem{RoomType: c.roomType, RatePlan: id.New[id.RatePlan](), Occupants: stay.Occupants{Adults: 1}}
	ask := quotes.Ask{Property: id.New[id.Property](), Currency: "USD", Locale: "fa-AF", Session: &v.session, Stay: stay.Window{Start: c.first, End: c.first.AddDays(nights)}}
	for range rooms {
		ask.Items = append(ask.Items, item)
	}
	q, err := quotes.New(id.New[id.Request](), c.tenant, quotestest.Basis(), ask, quotestest.Price(ask, c.db.Env().Now().Add(30*time.Minute)))
	if err != nil {
		c.t.Fatal(err)
	}
	if q, err = quotes.OpenStore(c.db.Env()).Add(c.t.Context(), q); err != nil {
		c.t.Fatal(err)
	}
	details := Details{Act: id.New[id.Request](), Channel: Direct, Session: &v.session, Quota: v.quota, CreatedBy: access.Actor{Type: access.Guest, ID: "gst_someone"}}
	var old *id.Reservation
	if replaced != nil {
		old = &replaced.ID
	}
	return c.holder.Hold(c.t.Context(), access.Principal{Scope: access.Scope{Tenant: c.tenant}}, q.ID, details, old)
}

// mustHold is hold for holds that the quota admits.
func (c *siteTest) mustHold(v visit, rooms, nights int) *Reservation {
	c.t.Helper()
	r, err := c.hold(v, rooms, nights, nil)
	if err != nil {
		c.t.Fatal(err)
	}
	return r
}

// name stores the contact data of a guest as hashes.
func (c *siteTest) name(r *Reservation, email, phone string) {
	c.t.Helper()
	hash := func(s string) string { return fmt.Sprintf("%064x", s) }
	_, err := c.db.Owner(c.t).Exec(c.t.Context(), `
		INSERT INTO reservation.guests (reservation_id, tenant_id, guest_id, first_name, last_name, email, phone, locale, email_hash, phone_hash)
		VALUES ($1, $2, $3, 'A', '', '', '', 'fa-AF', $4, $5)`, r.ID, r.Tenant, r.Guest, hash(email), hash(phone))
	if err != nil {
		c.t.Fatal(err)
	}
}

// confirm confirms a reservation with an intent, or with the promise of cash.
func (c *siteTest) confirm(r *Reservation, i *Intent) error {
	claim := Claim{Scope: access.Scope{Tenant: c.tenant}, Reservation: r.ID}
	if i != nil {
		c.payments.mu.Lock()
		c.payments.intents[i.ID] = i
		c.payments.mu.Unlock()
		claim.Intent = &i.ID
	}
	_, err := c.confirmer.Confirm(c.t.Context(), claim, func(ctx context.Context, f func(postgres.Tx) error) error {
		return c.holder.Reservations.In(ctx, c.tenant, f)
	})
	return err
}

// book holds and confirms with the promise of cash.
func (c *siteTest) book(v visit, rooms, nights int) *Reservation {
	c.t.Helper()
	r := c.mustHold(v, rooms, nights)
	if err := c.confirm(r, nil); err != nil {
		c.t.Fatal(err)
	}
	return r
}

// edit changes the stored reservation and publishes the events.
func (c *siteTest) edit(r *Reservation, change func(*Reservation) ([]event.Draft, error)) {
	c.t.Helper()
	stored, err := c.holder.Reservations.Get(c.t.Context(), access.Scope{Tenant: c.tenant}, r.ID)
	if err != nil {
		c.t.Fatal(err)
	}
	events, err := change(stored)
	if err != nil {
		c.t.Fatal(err)
	}
	if err := save(c.t, c.holder.Reservations, stored, events...); err != nil {
		c.t.Fatal(err)
	}
}

// checkIn checks the guest in on the day of arrival.
func (c *siteTest) checkIn(r *Reservation) {
	c.t.Helper()
	c.edit(r, func(r *Reservation) ([]event.Draft, error) {
		of, rooms := roomsFor(r)
		_, err := r.StartCheckIn(rooms, of, access.Actor{Type: access.Staff, ID: "usr_desk"}, c.afternoon(0))
		return []event.Draft{CheckInBegun(r)}, err
	})
	c.edit(r, func(r *Reservation) ([]event.Draft, error) {
		issueKeys(c.t, r)
		return []event.Draft{GuestCheckedIn(r)}, nil
	})
}

// afternoon returns half past three in Kabul on a day of the stay.
func (c *siteTest) afternoon(day int) time.Time {
	return c.first.AddDays(day).Time().Add(11 * time.Hour)
}

// collect collects a part of the promised cash.
func (c *siteTest) collect(r *Reservation, percent money.Micro) {
	c.edit(r, func(r *Reservation) ([]event.Draft, error) {
		i := aCapture(r)
		i.ID, i.Method, i.Captured = *r.Payment.Intent, CashOnArrival, r.Total*percent/100
		r.Collect(i)
		return nil, nil
	})
}

// change changes the departure.
func (c *siteTest) change(r *Reservation, nights int, byGuest, dry bool) (*Reservation, error) {
	return c.changeTo(r, stay.Window{Start: c.first, End: c.first.AddDays(nights)}, byGuest, dry)
}

func (c *siteTest) changeTo(r *Reservation, to stay.Window, byGuest, dry bool) (*Reservation, error) {
	act, propose := id.New[id.Request](), c.changer.Dates
	call := ChangeCall{Principal: access.Principal{Scope: access.Scope{Tenant: c.tenant}, Actor: access.Actor{Type: access.System, ID: "bff"}}, Act: act, Reservation: r.ID,
		Allows: func(int64) bool { return true }, ByGuest: byGuest, DryRun: dry}
	if byGuest {
		propose = func(act id.Request, to stay.Window) Proposal { return c.changer.GuestDates(act, to, nil) }
	}
	changed, _, err := c.changer.Change(c.t.Context(), call, propose(act, to))
	return changed, err
}

// TestQuota_released has a guest with 40 of 60 room nights. Whether 40 more fit depends on what became of the first.
func TestQuota_released(t *testing.T) {
	t.Parallel()
	booked := func(act func(c *siteTest, r *Reservation)) func(*siteTest, *Reservation) {
		return func(c *siteTest, r *Reservation) {
			if err := c.confirm(r, nil); err != nil {
				c.t.Fatal(err)
			}
			act(c, r)
		}
	}
	for _, test := range []struct {
		name string
		act  func(*siteTest, *Reservation)
		want error
	}{
		{"held", func(*siteTest, *Reservation) {}, ErrTooMuchHeld},
		{"expired", func(c *siteTest, _ *Reservation) { c.db.Advance(11 * time.Minute) }, nil},
		{"booked", booked(func(*siteTest, *Reservation) {}), ErrTooMuchHeld},
		{"booked_later", booked(func(c *siteTest, _ *Reservation) { c.db.Advance(time.Hour) }), ErrTooMuchHeld},
		{"paid", func(c *siteTest, r *Reservation) {
			if i := aCapture(r); c.confirm(r, &i) != nil {
				c.t.Fatal("the payment did not confirm")
			}
		}, nil},
		{"cancelled", booked((*siteTest).cancel), nil},
		{"collected", booked(func(c *siteTest, r *Reservation) { c.collect(r, 100) }), nil},
		{"collected_in_part", booked(func(c *siteTest, r *Reservation) { c.collect(r, 45) }), ErrTooMuchHeld}, // 22 room nights are left
		{"collected_half", booked(func(c *siteTest, r *Reservation) { c.collect(r, 50) }), nil},
		{"no_show", booked(func(c *siteTest, r *Reservation) {
			c.edit(r, func(r *Reservation) ([]event.Draft, error) {
				_, err := r.Miss(MissWish{By: access.Actor{Type: access.Staff, ID: "usr_desk"}, Manager: true}, c.afternoon(1))
				return []event.Draft{GuestMissed(r)}, err
			})
		}), nil},
		{"in_house", booked((*siteTest).checkIn), ErrTooMuchHeld},
		{"checked_out", booked(func(c *siteTest, r *Reservation) {
			c.checkIn(r)
			c.edit(r, func(r *Reservation) ([]event.Draft, error) {
				return r.Leave(LeaveWish{By: access.Actor{Type: access.Staff, ID: "usr_boss"}, Manager: true, Force: true, Folio: aFolio()}, c.afternoon(20))
			})
		}), nil},
		{"over", booked(func(c *siteTest, _ *Reservation) { c.db.Advance(60 * 24 * time.Hour) }), nil}, // no sweep has closed it
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			c := openSiteTest(t, pgtest.New(t))
			v := c.visit()
			test.act(c, c.mustHold(v, 2, 20))
			c.first = stay.DateOf(c.db.Env().Now().AddDate(0, 0, 30))
			if _, err := c.hold(v, 2, 20, nil); !errors.Is(err, test.want) {
				t.Errorf("second hold: %v, want %v", err, test.want)
			}
		})
	}
}

// TestQuota_keys has a guest who has booked 40 of 60 room nights, and holds 40 more as a guest who has something in common with the first.
func TestQuota_keys(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	for _, test := range []struct {
		name          string
		other         func(first, second visit) visit // changes the second guest
		email, phone  string
		held, booked  error
		elsewhere     bool // the second stay is at another hotel
		addressNights int
	}{
		{name: "nothing", email: "b", phone: "b"},
		{name: "session", other: func(a, b visit) visit { b.session = a.session; return b }, held: ErrTooMuchHeld},
		{name: "session_elsewhere", other: func(a, b visit) visit { b.session = a.session; return b }, email: "b", phone: "b", elsewhere: true},
		{name: "address", other: func(a, b visit) visit { b.quota.Address = a.quota.Address; return b }, email: "b", phone: "b"},
		{name: "address_full", other: func(a, b visit) visit { b.quota.Address = a.quota.Address; return b }, addressNights: 79, held: ErrTooMuchHeld},
		{name: "no_address", other: func(_, b visit) visit { b.quota.Address = ""; return b }, addressNights: 79, email: "b", phone: "b"},
		{name: "email", email: "a", phone: "b", booked: ErrTooMuchHeld},
		{name: "phone", email: "b", phone: "a", booked: ErrTooMuchHeld},
		{name: "no_quota", other: func(a, b visit) visit { b.session, b.quota = a.session, Quota{}; return b }, email: "a", phone: "a"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			c := openSiteTest(t, db)
			first, second := c.visit(), c.visit()
			c.name(c.book(first, 2, 20), "a", "a")
			if test.other != nil {
				second = test.other(first, second)
			}
			if test.addressNights > 0 {
				second.quota.AddressNights = test.addressNights
			}
			if test.elsewhere {
				c.tenant = id.New[id.Tenant]()
			}
			r, err := c.hold(second, 2, 20, nil)
			if !errors.Is(err, test.held) {
				t.Fatalf("Hold() = %v, want %v", err, test.held)
			}
			if err != nil {
				return
			}
			c.name(r, test.email, test.phone)
			if err := c.confirm(r, nil); !errors.Is(err, test.booked) {
				t.Errorf("Confirm() = %v, want %v", err, test.booked)
			}
		})
	}
}

// TestQuota_cashFromOneAddress books what a stranger needs to sell a hotel out without money: 30 nights of two rooms, again and again, each
// time in another session.
func TestQuota_cashFromOneAddress(t *testing.T) {
	t.Parallel()
	c := openSiteTest(t, pgtest.New(t))
	address, booked := c.visit().quota.Address, 0
	for range 16 {
		v := c.visit()
		v.quota.Address = address
		r, err := c.hold(v, 2, 30, nil)
		if errors.Is(err, ErrTooMuchHeld) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if err := c.confirm(r, nil); err != nil {
			t.Fatal(err)
		}
		booked++
	}
	if booked != 5 {
		t.Errorf("%d of 16 bookings of 60 room nights, want 5: 300 room nights", booked)
	}
	if got := c.inventory.rooms - c.inventory.free(c.roomType); got != 10 {
		t.Errorf("%d rooms are taken, want 10", got)
	}
}

func TestQuota_honestGuest(t *testing.T) {
	t.Parallel()
	c := openSiteTest(t, pgtest.New(t))
	v := c.visit()
	first := c.mustHold(v, 2, 30)
	longer, err := c.hold(v, 2, 29, first)
	if err != nil {
		t.Fatalf("a hold in place of the guest's own: %v", err)
	}
	if _, err := c.hold(v, 1, 31, nil); !errors.Is(err, ErrTooMuchHeld) {
		t.Errorf("31 room nights beside 58: %v", err)
	}
	if _, err := c.hold(v, 2, 31, longer); !errors.Is(err, ErrTooMuchHeld) {
		t.Errorf("62 room nights in place of 58: %v", err)
	}
	if got := c.inventory.rooms - c.inventory.free(c.roomType); got != 2 {
		t.Errorf("refused holds keep rooms: %d are taken, want 2", got)
	}
	if err := c.confirm(longer, nil); err != nil {
		t.Fatalf("the guest's hold after a refused one: %v", err)
	}
	other := c.visit()
	c.book(other, 2, 3)
	c.book(other, 2, 3)
	c.book(other, 2, 3)
}

func TestQuota_liveHolds(t *testing.T) {
	t.Parallel()
	c := openSiteTest(t, pgtest.New(t))
	v := c.visit()
	c.mustHold(v, 1, 1)
	second := c.mustHold(v, 1, 1)
	if _, err := c.hold(v, 1, 1, nil); !errors.Is(err, ErrTooMuchHeld) {
		t.Errorf("third hold: %v", err)
	}
	if err := c.confirm(second, nil); err != nil {
		t.Fatal(err)
	}
	c.mustHold(v, 1, 1)
}

// TestQuota_concurrentHolds holds more than the quota at once. The refused holds keep no rooms.
func TestQuota_concurrentHolds(t *testing.T) {
	t.Parallel()
	c := openSiteTest(t, pgtest.New(t))
	address := c.visit().quota
	address.AddressNights = 60
	place, arrived := c.holder.Place, make(chan struct{}, 8)
	all := make(chan struct{})
	c.holder.Place = func(ctx context.Context, r *Reservation, h Hold) (HoldResult, error) {
		if arrived <- struct{}{}; len(arrived) == cap(arrived) {
			close(all) // each hold has passed the first check
		}
		<-all
		return place(ctx, r, h)
	}
	var acts []func()
	won := make(chan *Reservation, 8)
	for range 8 {
		v := c.visit()
		v.quota = address
		acts = append(acts, func() {
			r, err := c.hold(v, 1, 30, nil)
			switch {
			case err == nil:
				won <- r
			case !errors.Is(err, ErrTooMuchHeld):
				t.Error(err)
			}
		})
	}
	together(acts...)
	if len(won) != 2 {
		t.Errorf("%d of 8 concurrent holds of 30 room nights, want 2", len(won))
	}
	if got := c.inventory.rooms - c.inventory.free(c.roomType); got != 2 {
		t.Errorf("%d rooms are taken, want 2", got)
	}
}

func TestQuota_dates(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	for _, test := range []struct {
		name    string
		nights  int // after the change
		byGuest bool
		beside  bool // the guest has another booking of 40 room nights
		want    error
	}{
		{"longer", 29, true, false, nil},
		{"too_long", 31, true, false, ErrTooMuchHeld},
		{"beside_another", 11, true, true, ErrTooMuchHeld},
		{"shorter_beside_another", 5, true, true, nil},
		{"too_long_by_staff", 31, false, false, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			c := openSiteTest(t, db)
			v := c.visit()
			r := c.book(v, 2, 10)
			if test.beside {
				c.book(v, 2, 20)
			}
			if _, err := c.change(r, test.nights, test.byGuest, true); !errors.Is(err, test.want) {
				t.Errorf("dry run: %v, want %v", err, test.want)
			}
			if _, err := c.change(r, test.nights, test.byGuest, false); !errors.Is(err, test.want) {
				t.Errorf("Change() = %v, want %v", err, test.want)
			}
			stored, err := c.holder.Reservations.Get(t.Context(), access.Scope{Tenant: c.tenant}, r.ID)
			if err != nil {
				t.Fatal(err)
			}
			want := 10
			if test.want == nil {
				want = test.nights
			}
			if got := stored.Stay.Nights(); got != want || stored.Saga.Plan != nil {
				t.Errorf("%d nights with plan %v, want %d without", got, stored.Saga.Plan, want)
			}
		})
	}
}

// TestQuota_datesAfterOnePaidNight pays for one night of two rooms and then asks for 30, again and again from one address. Nothing of that
// is booked without payment, and what is held meanwhile has the limits of holds.
func TestQuota_datesAfterOnePaidNight(t *testing.T) {
	t.Parallel()
	c := openSiteTest(t, pgtest.New(t))
	address, held := c.visit().quota.Address, 0
	for range 7 {
		v := c.visit()
		v.quota.Address = address
		r := c.paid(v, 2, 1)
		_, err := c.change(r, 30, true, false)
		switch {
		case err == nil:
			held++
		case !errors.Is(err, ErrTooMuchHeld):
			t.Fatal(err)
		}
		if got := c.stored(r).Stay.Nights(); got != 1 {
			t.Errorf("%d nights are booked, want the paid one", got)
		}
	}
	if held != 5 {
		t.Errorf("the added nights of %d of 7 bookings are held, want 5: 290 of 300 room nights without payment", held)
	}
	c.db.Advance(11 * time.Minute)
	if got := c.inventory.rooms - c.inventory.free(c.roomType); got != 14 {
		t.Errorf("%d rooms are taken, want 14", got)
	}
	v := c.visit()
	v.quota.Address = address
	c.mustHold(v, 2, 30)
}
