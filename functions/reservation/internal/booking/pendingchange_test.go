package booking

import (
	"context"
	"errors"
	"testing"
	"time"

	"melmastoon.ghasi.io/functions/reservation/internal/access"
	"melmastoon.ghasi.io/functions/reservation/internal/quotes"
	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/stay"
	"melmastoon.ghasi.io/shared/testkit/check"
	"melmastoon.ghasi.io/shared/testkit/pgtest"
)

// paid books and pays by card.
func (c *siteTest) paid(v visit, rooms, nights int) *Reservation {
	c.t.Helper()
	r := c.mustHold(v, rooms, nights)
	if i := aCapture(r); c.confirm(r, &i) != nil {
		c.t.Fatal("the payment did not confirm")
	}
	return r
}

func (c *siteTest) stored(r *Reservation) *Reservation {
	c.t.Helper()
	stored, err := c.holder.Reservations.Get(c.t.Context(), access.Scope{Tenant: c.tenant}, r.ID)
	if err != nil {
		c.t.Fatal(err)
	}
	return stored
}

// pay captures an amount and returns what the hotel keeps of it.
func (c *siteTest) pay(r *Reservation, amount money.Micro) (money.Micro, error) {
	i := aCapture(r)
	i.Amount, i.Captured = amount, amount
	err := c.confirm(r, &i)
	return money.Micro(c.payments.kept(i)), err
}

// cancel cancels a booking as its guest.
func (c *siteTest) cancel(r *Reservation) {
	c.edit(r, func(r *Reservation) ([]event.Draft, error) {
		err := r.CancelOnWish(CancelWish{Code: GuestCancelled, By: access.Actor{Type: access.Guest, ID: "gst_someone"}}, c.db.Env().Now())
		return []event.Draft{ReservationCancelled(r)}, err
	})
}

// perNight is what one night of both rooms costs.
const perNight = 205_000_000

// TestPendingChange has a guest who has paid for one night of two rooms and asks for three. Then something happens, and the guest pays.
func TestPendingChange(t *testing.T) {
	t.Parallel()
	late := func(c *siteTest) { c.db.Advance(11 * time.Minute) }
	for _, test := range []struct {
		name   string
		before func(*siteTest, *Reservation)
		amount money.Micro
		kept   money.Micro
		nights int
		want   error
	}{
		{"paid", nil, 2 * perNight, 2 * perNight, 3, nil},
		{"too_much", nil, 2*perNight + 7, 2 * perNight, 3, nil},
		{"too_little", nil, 2*perNight - 1, 0, 1, ErrIllegalTransition},
		{"twice", func(c *siteTest, r *Reservation) {
			if kept, err := c.pay(r, 2*perNight); err != nil || kept != 2*perNight {
				c.t.Errorf("first payment: %d kept, %v", kept, err)
			}
		}, 2 * perNight, 0, 3, ErrIllegalTransition},
		{"late", func(c *siteTest, _ *Reservation) { late(c) }, 2 * perNight, 2 * perNight, 3, nil},
		{"late_and_sold", func(c *siteTest, _ *Reservation) { late(c); c.inventory.rooms = 1 }, 2 * perNight, 0, 1, nil},
		{"cancelled", (*siteTest).cancel, 2 * perNight, 0, 1, ErrIllegalTransition},
		{"changed_by_staff", func(c *siteTest, r *Reservation) {
			if _, err := c.change(r, 2, false, false); err != nil {
				c.t.Error(err)
			}
		}, 2 * perNight, perNight, 2, nil}, // pays what the change of staff made due
		{"another_change", func(c *siteTest, r *Reservation) {
			if _, err := c.change(r, 4, true, false); err != nil {
				c.t.Error(err)
			}
		}, 3 * perNight, 3 * perNight, 4, nil},
		{"payment_of_earlier_change", func(c *siteTest, r *Reservation) {
			if _, err := c.change(r, 4, true, false); err != nil {
				c.t.Error(err)
			}
		}, 2 * perNight, 0, 1, ErrIllegalTransition},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			c := openSiteTest(t, pgtest.New(t))
			r := c.paid(c.visit(), 2, 1)
			changed, err := c.change(r, 3, true, false)
			if err != nil {
				t.Fatal(err)
			}
			v := changed.View()
			if v.Stay.Nights != 1 || v.Change == nil {
				t.Fatalf("answer: %d nights, pending %+v", v.Stay.Nights, v.Change)
			}
			if want := (PendingChangeView{Stay: quotes.StayView{Start: c.first, End: c.first.AddDays(3), Nights: 3}, Total: 3 * perNight, Due: 2 * perNight, PayUntil: v.Change.PayUntil}); *v.Change != want {
				t.Errorf("pending %+v, want %+v", *v.Change, want)
			}
			if test.before != nil {
				test.before(c, r)
			}
			kept, err := c.pay(r, test.amount)
			if !errors.Is(err, test.want) || kept != test.kept {
				t.Errorf("%d kept, error %v, want %d and %v", kept, err, test.kept, test.want)
			}
			got := c.stored(r)
			if got.Stay.Nights() != test.nights || got.Saga.Plan != nil {
				t.Errorf("%d nights with plan %v, want %d", got.Stay.Nights(), got.Saga.Plan, test.nights)
			}
			if got.State == Confirmed && got.Payment.kept() != got.Total {
				t.Errorf("%d is kept for a total of %d", got.Payment.kept(), got.Total)
			}
		})
	}
}

func TestPendingChange_refused(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name    string
		prepare func(*siteTest, visit)
		want    error
	}{
		{"no_rooms", func(c *siteTest, _ visit) { c.inventory.rooms = 2 }, ErrOverbooked},
		{"quota", func(c *siteTest, v visit) { c.book(v, 2, 28) }, ErrTooMuchHeld},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			c := openSiteTest(t, pgtest.New(t))
			v := c.visit()
			r := c.paid(v, 2, 1)
			test.prepare(c, v)
			before := c.inventory.free(c.roomType)
			if _, err := c.change(r, 4, true, false); !errors.Is(err, test.want) {
				t.Errorf("Change() = %v, want %v", err, test.want)
			}
			if got := c.stored(r); got.Change != nil || got.Stay.Nights() != 1 {
				t.Errorf("%d nights, pending %v", got.Stay.Nights(), got.Change)
			}
			if got := c.inventory.free(c.roomType); got != before {
				t.Errorf("%d rooms are free, want %d", got, before)
			}
		})
	}
}

// TestPendingChange_added shows which nights a pending change holds beside those of the booking.
func TestPendingChange_added(t *testing.T) {
	t.Parallel()
	day := func(n int) string { return time.Date(2038, 1, n, 0, 0, 0, 0, time.UTC).Format(time.DateOnly) }
	stays := func(days ...int) (all []stay.Window) {
		for n := 0; n < len(days); n += 2 {
			all = append(all, stay.Window{Start: night(t, day(days[n])), End: night(t, day(days[n+1]))})
		}
		return all
	}
	r := &Reservation{Stay: stays(10, 12)[0]}
	for _, test := range []struct {
		name string
		to   []stay.Window
		want []stay.Window
	}{
		{"later_departure", stays(10, 15), stays(12, 15)},
		{"earlier_arrival", stays(8, 12), stays(8, 10)},
		{"both", stays(8, 15), stays(8, 10, 12, 15)},
		{"moved", stays(11, 14), stays(12, 14)},
		{"apart", stays(12, 15), stays(12, 15)},
		{"shorter", stays(10, 11), nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got := r.added(test.to[0])
			if len(got) != len(test.want) {
				t.Fatalf("added() = %v, want %v", got, test.want)
			}
			for n := range got {
				if got[n] != test.want[n] {
					t.Errorf("added() = %v, want %v", got, test.want)
				}
			}
		})
	}
}

// TestPendingChange_repeatedAct repeats the call whose answer was lost.
func TestPendingChange_repeatedAct(t *testing.T) {
	t.Parallel()
	c := openSiteTest(t, pgtest.New(t))
	r := c.paid(c.visit(), 2, 1)
	act := id.New[id.Request]()
	call := ChangeCall{Principal: access.Principal{Scope: access.Scope{Tenant: c.tenant}, Actor: access.Actor{Type: access.System, ID: "bff"}}, Act: act, Reservation: r.ID,
		Allows: func(int64) bool { return true }, ByGuest: true}
	var versions []int
	for range 2 {
		got, m, err := c.changer.Change(t.Context(), call, c.changer.GuestDates(act, stay.Window{Start: c.first, End: c.first.AddDays(3)}, nil))
		if err != nil {
			t.Fatal(err)
		}
		if m.Request == nil {
			t.Fatal("nothing is to be charged")
		}
		if m.Request.Amount != 2*perNight || m.Request.Direction != "charge" {
			t.Errorf("request = %+v", m.Request)
		}
		versions = append(versions, got.Version)
	}
	if versions[0] != versions[1] {
		t.Errorf("versions %v: the repetition has changed the booking", versions)
	}
}

// TestPendingChange_equal asks for the same dates in eight windows at once. Each gets the one pending change, and rooms are held once.
func TestPendingChange_equal(t *testing.T) {
	t.Parallel()
	c := openSiteTest(t, pgtest.New(t))
	r := c.paid(c.visit(), 2, 1)
	var acts []func()
	for range 8 {
		acts = append(acts, func() {
			if got, err := c.change(r, 3, true, false); err != nil || got.Stay.Nights() != 1 || got.pendingChange() == nil {
				t.Errorf("a change answers %v, %v, want the pending change", got, err)
			}
		})
	}
	together(acts...)
	if got := c.inventory.rooms - c.inventory.free(c.roomType); got != 4 {
		t.Errorf("%d rooms are taken, want 2 of the booking and 2 of the change", got)
	}
	if kept, err := c.pay(r, 2*perNight); err != nil || kept != 2*perNight || c.stored(r).Stay.Nights() != 3 {
		t.Errorf("after the payment %d are kept (%v), %d nights", kept, err, c.stored(r).Stay.Nights())
	}
}

// TestPendingChange_replaced asks for other dates while a change is pending, in each moment of either. Only the last change can be paid for,
// and only its rooms are held.
func TestPendingChange_replaced(t *testing.T) {
	t.Parallel()
	ask := func(c *siteTest, r *Reservation, nights int, want error) {
		c.t.Helper()
		if _, err := c.change(r, nights, true, false); !errors.Is(err, want) {
			c.t.Errorf("change to %d nights: %v, want %v", nights, err, want)
		}
	}
	for _, test := range []struct {
		name   string
		act    func(*siteTest, *Reservation)
		amount money.Micro // of the payment afterwards
		nights int         // after it
		held   int         // rooms of the booking and the change, before it
		want   error
	}{
		{name: "by_a_dearer_one", act: func(c *siteTest, r *Reservation) { ask(c, r, 3, nil); ask(c, r, 4, nil) }, amount: 3 * perNight, nights: 4, held: 4},
		{name: "by_one_that_is_sold_out", act: func(c *siteTest, r *Reservation) {
			ask(c, r, 3, nil)
			c.inventory.rooms = 3
			ask(c, r, 4, ErrOverbooked)
		}, amount: 2 * perNight, nights: 1, held: 2, want: ErrIllegalTransition},
		{name: "by_an_interrupted_one", act: func(c *siteTest, r *Reservation) {
			ask(c, r, 3, nil)
			c.holding(cut, proceed, func() { ask(c, r, 4, errCut) })
		}, amount: 2 * perNight, nights: 1, held: 4, want: ErrIllegalTransition}, // the payment of the first is refunded
		{name: "an_interrupted_one", act: func(c *siteTest, r *Reservation) {
			c.holding(cut, proceed, func() { ask(c, r, 3, errCut) })
			ask(c, r, 4, nil)
		}, amount: 3 * perNight, nights: 4, held: 4},
		{name: "an_answer_that_was_lost", act: func(c *siteTest, r *Reservation) {
			c.holding(proceed, cut, func() { ask(c, r, 3, errCut) })
			ask(c, r, 4, nil)
		}, amount: 3 * perNight, nights: 4, held: 4},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			c := openSiteTest(t, pgtest.New(t))
			r := c.paid(c.visit(), 2, 1)
			test.act(c, r)
			if got := c.inventory.rooms - c.inventory.free(c.roomType); got != test.held {
				t.Errorf("%d rooms are taken, want %d", got, test.held)
			}
			c.inventory.rooms = 9
			if _, err := c.pay(r, test.amount); !errors.Is(err, test.want) || c.stored(r).Stay.Nights() != test.nights {
				t.Errorf("payment: %v, then %d nights, want %v and %d", err, c.stored(r).Stay.Nights(), test.want, test.nights)
			}
		})
	}
}

// TestPendingChange_overtaken replaces a change before inventory has answered it, with one that inventory answers or does not. The first
// call tries again and has the last word.
func TestPendingChange_overtaken(t *testing.T) {
	t.Parallel()
	for name, after := range map[string]func() error{"answered": proceed, "lost": cut} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := openSiteTest(t, pgtest.New(t))
			r := c.paid(c.visit(), 2, 1)
			overtaken := false
			overtake := func() error {
				if !overtaken {
					overtaken = true
					other := *c
					other.changer = new(*c.changer)
					other.changer.inventory = hookedInventory{c.inventory, proceed, after}
					_, err := other.change(r, 4, true, false)
					check.Error(t, err, after())
				}
				return nil
			}
			c.holding(overtake, proceed, func() {
				got, err := c.change(r, 3, true, false)
				check.Must(t, err)
				check.Equal(t, got.pendingChange().Plan.Reserved.Stay.Nights(), 3)
			})
			check.Equal(t, c.inventory.rooms-c.inventory.free(c.roomType), 4, "rooms of the booking and the change")
			kept, err := c.pay(r, 2*perNight)
			check.NoError(t, err)
			check.Equal(t, kept, money.Micro(2*perNight))
			check.Equal(t, c.stored(r).Stay.Nights(), 3)
		})
	}
}

// TestPendingChange_halfRefused adds a night before the stay and one after it. Inventory has rooms for the first only, and gets them back.
func TestPendingChange_halfRefused(t *testing.T) {
	t.Parallel()
	c := openSiteTest(t, pgtest.New(t))
	r := c.paid(c.visit(), 2, 1)
	c.inventory.rooms = 5
	_, err := c.changeTo(r, stay.Window{Start: c.first.AddDays(-1), End: c.first.AddDays(2)}, true, false)
	if !errors.Is(err, ErrOverbooked) || c.stored(r).Change != nil {
		t.Errorf("Change() = %v with %v pending, want %v and nothing", err, c.stored(r).Change, ErrOverbooked)
	}
	if got := c.inventory.rooms - c.inventory.free(c.roomType); got != 2 {
		t.Errorf("%d rooms are taken, want 2 of the booking", got)
	}
}

// TestPendingChange_interrupted ends the call between storing the change and the answer of inventory. A payment waits, and the repetition
// completes the change.
func TestPendingChange_interrupted(t *testing.T) {
	t.Parallel()
	c := openSiteTest(t, pgtest.New(t))
	r := c.paid(c.visit(), 2, 1)
	c.holding(cut, proceed, func() {
		if _, err := c.change(r, 3, true, false); !errors.Is(err, errCut) {
			t.Fatalf("without inventory: %v", err)
		}
	})
	if _, err := c.pay(r, 2*perNight); !errors.Is(err, errChanging) {
		t.Errorf("a payment meanwhile: %v, want %v", err, errChanging)
	}
	if c.stored(r).pendingChange() != nil {
		t.Error("a change whose rooms are not held can be paid for")
	}
	if got, err := c.change(r, 3, true, true); err != nil || got.Stay.Nights() != 3 {
		t.Errorf("a dry run meanwhile: %v, %v, want the changed stay", got, err)
	}
	if got, err := c.change(r, 3, true, false); err != nil || got.pendingChange() == nil {
		t.Errorf("the repetition: %v, %v", got, err)
	}
}

// holding runs do with an inventory service that calls before and after at each request for a hold. An error of before replaces the
// request, an error of after the answer.
func (c *siteTest) holding(before, after func() error, do func()) {
	inventory := c.changer.inventory
	c.changer.inventory = hookedInventory{inventory, before, after}
	do()
	c.changer.inventory = inventory
}

func proceed() error { return nil }

func cut() error { return errCut }

type hookedInventory struct {
	reallocator
	before, after func() error
}

func (i hookedInventory) Hold(ctx context.Context, r *Reservation, h Hold) (result HoldResult, err error) {
	if err = i.before(); err == nil {
		result, err = i.reallocator.Hold(ctx, r, h)
	}
	if err == nil {
		err = i.after()
	}
	return result, err
}

// TestPendingChange_besideCancel cancels the booking while inventory holds the added nights. They are released.
func TestPendingChange_besideCancel(t *testing.T) {
	t.Parallel()
	c := openSiteTest(t, pgtest.New(t))
	r := c.paid(c.visit(), 2, 1)
	cancel := func() error {
		c.cancel(r)
		return nil
	}
	c.holding(cancel, proceed, func() {
		if _, err := c.change(r, 3, true, false); !errors.Is(err, ErrIllegalTransition) {
			t.Errorf("a change of a cancelled booking: %v", err)
		}
	})
	if got := c.inventory.rooms - c.inventory.free(c.roomType); got != 2 {
		t.Errorf("%d rooms are taken, want 2, which the event of the cancellation releases", got)
	}
}
