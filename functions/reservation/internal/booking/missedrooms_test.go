package booking

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"melmastoon.ghasi.io/functions/reservation/internal/quotes"
	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/money"
)

// addRoom books a third room, which the guest pays. The rooms but the first cost a night if their guests do not come.
func (c *deskTest) addRoom() {
	c.t.Helper()
	act := id.New[id.Request]()
	first := c.r.Items[0]
	asked := quotes.AskedItem{RoomType: id.New[id.RoomType](), RatePlan: first.RatePlan, Occupants: first.Occupants}
	r, _, err := c.changer.Change(c.t.Context(), c.call(act), c.changer.Add(act, asked))
	if err != nil {
		c.t.Fatal(err)
	}
	paid := aCapture(r)
	paid.Amount, paid.Captured = r.due(), r.due()
	r.Collect(paid)
	r.Items[1].Policy, r.Items[2].Policy, r.unsaved.items = quotes.Policy{Ref: "p", NoShowNights: 1}, quotes.Policy{Ref: "p", NoShowNights: 1}, true
	if err := save(c.t, c.changer.reservations, r); err != nil {
		c.t.Fatal(err)
	}
	c.r = c.stored()
}

// versions returns the versions of the stored modifications of an act that gave up rooms.
func (c *deskTest) versions(act id.Request, rooms int) (all []int) {
	c.t.Helper()
	for n := range rooms {
		var version int
		err := c.db.Owner(c.t).QueryRow(c.t.Context(), `SELECT version FROM reservation.modifications WHERE modification_id = $1`, missOf(act, n)).Scan(&version)
		if err != nil {
			c.t.Fatal(err)
		}
		all = append(all, version)
	}
	return all
}

// Several rooms are given up in one act, each with its own modification, version and refund.
func TestMissRooms_several(t *testing.T) {
	t.Parallel()
	c := openDeskTest(t)
	c.addRoom()
	c.arriveFirst()
	c.now = missed
	before := c.stored()
	var penalty, price money.Micro
	for _, item := range before.Items[1:] {
		penalty, price = penalty+item.missedPenalty(before.Currency), price+item.Total
	}
	call := c.call(id.New[id.Request]())
	call.DryRun = true
	dry, applied, refunds, err := c.changer.MissRooms(t.Context(), call, MissWish{By: call.Actor})
	if err != nil || len(dry.Items) != 3 || c.stored().Version != before.Version {
		t.Fatalf("a dry run: %d items, version %d, %v, want 3 and %d", len(dry.Items), c.stored().Version, err, before.Version)
	}
	if applied.Penalty != penalty || applied.Eligible != price-penalty {
		t.Errorf("retained %d, refunded %d, want %d and %d", applied.Penalty, applied.Eligible, penalty, price-penalty)
	}
	call.DryRun = false
	r, done, requested, err := c.changer.MissRooms(t.Context(), call, MissWish{By: call.Actor})
	if err != nil {
		t.Fatal(err)
	}
	if done != applied || !slices.Equal(requested, refunds) {
		t.Errorf("%+v and %v, want those of the dry run, %+v and %v", done, requested, applied, refunds)
	}
	var back money.Micro
	for _, refund := range requested {
		back += refund.Amount
	}
	if len(requested) < 2 || back != applied.Eligible || r.Payment.kept() != r.Total {
		t.Errorf("refunds %v, kept %d, want %d together and %d", requested, r.Payment.kept(), applied.Eligible, r.Total)
	}
	for n, allocation := range before.Hold.Allocations {
		if released := c.fakeInventory.taken[allocation].released; released != (n > 0) {
			t.Errorf("room %d is released: %v", n, released)
		}
	}
	stored := c.stored()
	if len(stored.Items) != 1 || stored.State != CheckedIn {
		t.Errorf("%d items, state %s, want one and %s", len(stored.Items), stored.State, CheckedIn)
	}
	if got, want := c.versions(call.Act, 2), []int{before.Version + 1, before.Version + 2}; !slices.Equal(got, want) {
		t.Errorf("versions of the modifications = %v, want %v, those of the events", got, want)
	}
	last := stored.Modified[len(stored.Modified)-2:]
	if last[0].ID != missOf(call.Act, 0) || last[1].ID != missOf(call.Act, 1) {
		t.Errorf("modifications = %v, want the oldest first", last)
	}
	again, repeated, repeatedRefunds, err := c.changer.MissRooms(t.Context(), call, MissWish{By: call.Actor})
	if err != nil || again.Version != r.Version || repeated != done || !slices.Equal(repeatedRefunds, requested) {
		t.Errorf("again: version %d, %+v, %v, %v, want %d, %+v, %v", again.Version, repeated, repeatedRefunds, err, r.Version, done, requested)
	}
	c.wantEvents("modified", "check_in_started", "checked_in", "modified", "modified")
}

// Something else has happened since the sweep read the reservation. It is no error of the sweep.
func TestMissRooms_notDue(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name string
		do   func(*deskTest) error
		want []string
	}{
		{"the guests have come", func(c *deskTest) error {
			_, err := c.arrive(1)
			return err
		}, []string{"items_checked_in"}},
		{"the desk has recorded the no-show", func(c *deskTest) error {
			call := c.call(id.New[id.Request]())
			_, _, _, err := c.changer.MissRooms(c.t.Context(), call, MissWish{By: call.Actor})
			return err
		}, []string{"modified"}},
		{"a change has begun", func(c *deskTest) error {
			r := c.stored()
			p, err := r.correctChannel(OTA, "ota-1", "typed wrong")
			if err != nil {
				return err
			}
			p.Modification.ID, p.OccurredAt, p.Actor = id.New[id.Modification](), c.now, c.call(id.Request{}).Actor
			r.prepare(p, c.now)
			return save(c.t, c.changer.reservations, r)
		}, nil},
		{"the clock of this process is behind", func(c *deskTest) error {
			c.now = missed.Add(-time.Second)
			return nil
		}, []string{"modified"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			c := openDeskTest(t)
			c.arriveFirst()
			c.now = missed
			c.db.Advance(missed.Sub(c.db.Env().Now()))
			if err := test.do(c); err != nil {
				t.Fatal(err)
			}
			if err := c.sweep(); err != nil {
				t.Errorf("the sweep: %v, want no error", err)
			}
			c.wantEvents(append([]string{"check_in_started", "checked_in"}, test.want...)...)
		})
	}
}

// The caller repeats the act on a version conflict, so that the attempts do not multiply.
func TestMissRooms_conflict(t *testing.T) {
	t.Parallel()
	c := openDeskTest(t)
	c.arriveFirst()
	c.now = missed
	attempts := 0
	c.changer.learn = func(context.Context, *Reservation) error {
		attempts++
		r := c.stored()
		r.Version++
		return save(t, c.changer.reservations, r)
	}
	call := c.call(id.New[id.Request]())
	_, _, _, err := c.changer.MissRooms(t.Context(), call, MissWish{By: call.Actor}) //nolint:dogsled // only the error matters
	if !errors.Is(err, fault.ErrVersionConflict) || attempts != 1 {
		t.Errorf("%d attempts, %v, want one and a version conflict", attempts, err)
	}
}
