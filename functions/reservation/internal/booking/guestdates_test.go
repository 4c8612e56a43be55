package booking

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"melmastoon.ghasi.io/functions/reservation/internal/access"
	"melmastoon.ghasi.io/functions/reservation/internal/quotes"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/testkit/pgtest"
)

// TestGuestDates changes the stay of 1 to 3 December, whose cancellation is free until a moment in Kabul's time.
func TestGuestDates(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	price := func(amount money.Micro) *money.Micro { return &amount }
	for _, test := range []struct {
		name    string
		at      time.Duration // from the end of free cancellation
		state   State
		maximum *money.Micro
		want    error
	}{
		{name: "last_free_moment", at: -time.Millisecond, state: Confirmed},
		{name: "at_deadline", state: Confirmed, want: ErrChangeNotAllowed},
		{name: "price_shown", at: -time.Hour, state: Confirmed, maximum: price(615_000_000)},
		{name: "price_rose", at: -time.Hour, state: Confirmed, maximum: price(614_999_999), want: ErrPriceChanged},
		{name: "in_house", at: -time.Hour, state: CheckedIn, want: ErrIllegalTransition},
		{name: "checked_out", at: -time.Hour, state: CheckedOut, want: ErrIllegalTransition},
		{name: "cancelled", at: -time.Hour, state: Cancelled, want: ErrIllegalTransition},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			c := deskOn(t, db)
			c.now, c.fakeInventory.rooms = c.r.freeUntil().Add(test.at), 2 // the fake does not tell nights apart
			if test.state != Confirmed {
				r := c.stored()
				r.State = test.state
				if _, err := c.changer.GuestDates(id.New[id.Request](), c.stay("2037-12-01", "2037-12-04"), nil)(t.Context(), r); !errors.Is(err, test.want) {
					t.Errorf("GuestDates() error = %v, want %v", err, test.want)
				}
				return
			}
			act := id.New[id.Request]()
			call := c.call(act)
			call.ByGuest, call.Actor = true, access.Actor{Type: access.System, ID: "tenant-booking"}
			r, m, err := c.changer.Change(t.Context(), call, c.changer.GuestDates(act, c.stay("2037-12-01", "2037-12-04"), test.maximum))
			if !errors.Is(err, test.want) {
				t.Fatalf("Change() error = %v, want %v", err, test.want)
			}
			if err != nil {
				if got := c.stored(); got.Version != c.r.Version {
					t.Errorf("a refused change stored version %d, want %d", got.Version, c.r.Version)
				}
				return
			}
			if want := (access.Actor{Type: access.Guest, ID: access.Name(r.Guest.String())}); m.Actor != want {
				t.Errorf("actor = %v, want %v", m.Actor, want)
			}
			c.now = c.now.Add(24 * time.Hour) // a repeated call returns the change that was made in time
			if _, again, err := c.changer.Change(t.Context(), call, c.changer.GuestDates(act, c.stay("2037-12-01", "2037-12-04"), test.maximum)); err != nil || again.ID != m.ID {
				t.Errorf("the repeated call returns %v, %v, want %v", again.ID, err, m.ID)
			}
		})
	}
}

// TestGuestDates_later keeps the earlier deadline: a guest cannot avoid a penalty by moving the stay.
func TestGuestDates_later(t *testing.T) {
	t.Parallel()
	c := openDeskTest(t)
	deadline := *c.r.freeUntil()
	act := id.New[id.Request]()
	r, _, err := c.changer.Change(t.Context(), c.call(act), c.changer.GuestDates(act, c.stay("2038-01-10", "2038-01-12"), nil))
	if err != nil {
		t.Fatal(err)
	}
	if got := *r.freeUntil(); !got.Equal(deadline) {
		t.Errorf("free until %v, want the old deadline %v", got, deadline)
	}
	c.now = deadline
	next := id.New[id.Request]()
	if _, _, err := c.changer.Change(t.Context(), c.call(next), c.changer.GuestDates(next, c.stay("2038-02-10", "2038-02-12"), nil)); !errors.Is(err, ErrChangeNotAllowed) {
		t.Errorf("a second change at the old deadline: error = %v, want %v", err, ErrChangeNotAllowed)
	}
	if events := published(t, c.db, c.r); !slices.Equal(events, []string{"held", "confirmed", "modified", "dates_changed"}) {
		t.Errorf("published %v", events)
	}
}

// TestGuestDates_equal lets 16 windows of a guest ask for the same dates at once. Each gets the one change, also if the change itself has
// ended the time for changes.
func TestGuestDates_equal(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	for _, test := range []struct {
		name       string
		start, end string
		guest      bool
	}{
		{"guest", "2037-12-01", "2037-12-04", true},
		{"guest_past_deadline", "2037-11-21", "2037-11-23", true},
		{"desk", "2037-12-01", "2037-12-04", false},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			c := deskOn(t, db)
			c.changer.pricing = func(_ context.Context, _ id.Tenant, a quotes.Ask) (quotes.Price, error) { return c.price(a), nil }
			to := c.stay(test.start, test.end)
			made, errs := make([]Modification, 16), make([]error, 16)
			var calls []func()
			for n := range made {
				act := id.New[id.Request]()
				propose := c.changer.Dates(act, to)
				if test.guest {
					propose = c.changer.GuestDates(act, to, nil)
				}
				calls = append(calls, func() { _, made[n], errs[n] = c.changer.Change(t.Context(), c.call(act), propose) })
			}
			together(calls...)
			for n, err := range errs {
				if err != nil {
					t.Errorf("call %d: %v", n, err)
				}
				if made[n].ID != made[0].ID {
					t.Errorf("call %d returns %v, want %v", n, made[n].ID, made[0].ID)
				}
			}
			if got := c.stored(); got.Stay != to || len(got.Modified) != 1 {
				t.Errorf("the stay is %v after %d modifications, want %v after 1", got.Stay, len(got.Modified), to)
			}
			r := c.stored()
			if err := r.CancelOnWish(CancelWish{Code: GuestCancelled, By: saga()}, c.now); err != nil {
				t.Fatal(err)
			}
			if err := save(t, c.changer.reservations, r, ReservationCancelled(r)); err != nil {
				t.Fatal(err)
			}
			act := id.New[id.Request]()
			if _, _, err := c.changer.Change(t.Context(), c.call(act), c.changer.Dates(act, to)); !errors.Is(err, ErrIllegalTransition) {
				t.Errorf("after the cancellation: %v, want %v", err, ErrIllegalTransition)
			}
		})
	}
}
