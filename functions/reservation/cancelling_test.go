package reservation

import (
	"errors"
	"testing"
	"time"

	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/money"
)

func TestWhatCancellingCosts(t *testing.T) {
	t.Parallel()
	paid := func() *Reservation {
		r := aHeld(t)
		r.Policy.FreeUntil, r.Policy.PenaltyPercent = 48, 33
		if err := r.Confirm(aCapture(r), r.Hold, r.PlacedAt); err != nil {
			t.Fatal(err)
		}
		return r
	}
	edge := paid().Stay.Start.Time().Add(-48 * time.Hour)
	cent := paid().Currency.MinorUnit()
	third := paid().Total * 33 / 100 / cent * cent
	for _, test := range []struct {
		name    string
		code    Reason
		at      time.Time
		penalty money.Micro
	}{
		{"nothing in time", GuestCancelled, edge.Add(-1), 0},
		{"the penalty from the edge on", GuestCancelled, edge, third},
		{"nothing where the hotel cancels", StaffCancelled, edge, 0},
	} {
		r := paid()
		captured := r.Captured
		if err := r.CancelOnWish(CancelWish{Code: test.code, By: saga(), MayWaive: true}, test.at); err != nil {
			t.Fatal(err)
		}
		c := r.Cancellation
		if c.Applied.Penalty != test.penalty || c.Applied.Eligible != captured-test.penalty || len(c.Refunds) != 1 || c.Refunds[0].Amount != captured-test.penalty {
			t.Errorf("%s: got %+v and %+v, want a penalty of %d", test.name, c.Applied, c.Refunds, test.penalty)
		}
		if r.Hold.Outcome != Released || r.State != Cancelled {
			t.Errorf("%s: %s with a hold that is %s", test.name, r.State, r.Hold.Outcome)
		}
	}
}

func TestOnlyAManagerWaivesAPenalty(t *testing.T) {
	t.Parallel()
	r := aHeld(t)
	r.Policy.FreeUntil, r.Policy.PenaltyPercent = 48, 33
	if err := r.Confirm(aCapture(r), r.Hold, r.PlacedAt); err != nil {
		t.Fatal(err)
	}
	edge := r.Stay.Start.Time().Add(-48 * time.Hour)
	for _, test := range []struct {
		name  string
		actor Role
		roles []string
		at    time.Time
		want  error
	}{
		{"the desk, while nothing is kept", Staff, []string{"front_desk"}, edge.Add(-1), nil},
		{"the desk, when something is", Staff, []string{"front_desk"}, edge, fault.ErrForbidden},
		{"somebody without a role", Staff, nil, edge, fault.ErrForbidden},
		{"a manager", Staff, []string{"front_desk", "manager"}, edge, nil},
		{"a service", System, nil, edge, nil},
	} {
		v := Visitor{Actor: Actor{test.actor, "usr_1"}, Roles: test.roles}
		_, back, err := CancelWish{Code: StaffCancelled, By: v.Actor, MayWaive: v.MayWaive()}.Allows(r, test.at)
		if !errors.Is(err, test.want) || (err == nil) != (len(back) == 1 && back[0].Amount == r.Captured) {
			t.Errorf("%s: %v with %+v, want %v", test.name, err, back, test.want)
		}
	}
}
