package reservation

import (
	"testing"
	"time"

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
		if err := r.CancelOnWish(CancelWish{Code: test.code, By: saga()}, test.at); err != nil {
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
