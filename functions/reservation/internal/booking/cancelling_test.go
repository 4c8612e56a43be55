package booking

import (
	"errors"
	"testing"
	"time"

	"melmastoon.ghasi.io/functions/reservation/internal/access"
	"melmastoon.ghasi.io/functions/reservation/internal/account"
	"melmastoon.ghasi.io/functions/reservation/internal/quotes"
	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/money"
)

func TestCancelOnWish_penalty(t *testing.T) {
	t.Parallel()
	paid := func() *Reservation {
		r := aHeld(t)
		r.Policy.FreeUntil, r.Policy.PenaltyPercent = 48, 33
		r.Items[0].Policy, r.Items[1].Policy = r.Policy, r.Policy
		if err := r.Confirm(aCapture(r), r.Hold, r.Hold.PlacedAt); err != nil {
			t.Fatal(err)
		}
		return r
	}
	edge := time.Date(2037, 11, 28, 19, 30, 0, 0, time.UTC) // 48 hours before 1 December begins in Kabul
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
		t.Run(test.name, func(t *testing.T) {
			r := paid()
			captured := r.Payment.Captured
			if err := r.CancelOnWish(CancelWish{Code: test.code, By: saga(), MayWaive: true}, test.at); err != nil {
				t.Fatal(err)
			}
			c := r.Cancellation
			if c.Applied.Penalty != test.penalty {
				t.Errorf("%s: c.Applied.Penalty = %v, want %v", test.name, c.Applied.Penalty, test.penalty)
			}
			if c.Applied.Eligible != captured-test.penalty {
				t.Errorf("%s: c.Applied.Eligible = %v, want %v", test.name, c.Applied.Eligible, captured-test.penalty)
			}
			if len(c.Refunds) != 1 {
				t.Fatalf("%s: len(c.Refunds) = %v, want 1", test.name, len(c.Refunds))
			}
			if c.Refunds[0].Amount != captured-test.penalty {
				t.Errorf("%s: c.Refunds[0].Amount = %v, want %v", test.name, c.Refunds[0].Amount, captured-test.penalty)
			}
			if r.Hold.Outcome != Released || r.State != Cancelled {
				t.Errorf("%s: %s with a hold that is %s", test.name, r.State, r.Hold.Outcome)
			}
		})
	}
}

func TestPenalty_timeZone(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		zone     string
		deadline time.Time // 48 hours before 1 December begins there
	}{
		{"Asia/Kabul", time.Date(2037, 11, 28, 19, 30, 0, 0, time.UTC)},
		{"America/New_York", time.Date(2037, 11, 29, 5, 0, 0, 0, time.UTC)},
		{"UTC", time.Date(2037, 11, 29, 0, 0, 0, 0, time.UTC)},
		{"", time.Date(2037, 11, 29, 0, 0, 0, 0, time.UTC)}, // a row that predates the column
	} {
		t.Run(test.zone, func(t *testing.T) {
			t.Parallel()
			r := confirmedOne(t)
			r.Local.TimeZone = test.zone
			if before, from := account.Sum(r.penalty(test.deadline.Add(-1))), account.Sum(r.penalty(test.deadline)); before != 0 || from != r.Total/2 {
				t.Errorf("penalty() = %d before the deadline and %d from then on, want 0 and %d", before, from, r.Total/2)
			}
		})
	}
}

func TestPenalty_itemPolicies(t *testing.T) {
	t.Parallel()
	strict := quotes.Policy{Ref: "flexible-24h", FreeUntil: 24, PenaltyPercent: 100}
	cheap := quotes.Policy{Ref: "saver-7d", FreeUntil: 168, PenaltyPercent: 50}
	night := quotes.Policy{Ref: "one-night", FreeUntil: 48, PenaltyPercent: 100, PenaltyNights: 1}
	for _, test := range []struct {
		name        string
		first       quotes.Policy
		second      quotes.Policy
		totals      [2]money.Micro // of the two nights of each room
		fee         money.Micro    // of the stay
		hoursBefore int
		want        money.Micro
		ref         string
	}{
		{"both free", strict, cheap, [2]money.Micro{200, 200}, 0, 169, 0, "flexible-24h, saver-7d"},
		{"one free", strict, cheap, [2]money.Micro{200, 200}, 0, 48, 100_000_000, "flexible-24h, saver-7d"},
		{"neither free", strict, cheap, [2]money.Micro{200, 200}, 0, 1, 300_000_000, "flexible-24h, saver-7d"},
		{"a cheap room lowers no strict penalty", strict, cheap, [2]money.Micro{390, 10}, 0, 1, 395_000_000, "flexible-24h, saver-7d"},
		{"one night of two", night, night, [2]money.Micro{200, 200}, 0, 1, 200_000_000, "one-night"},
		{"more nights than there are", quotes.Policy{Ref: "n", PenaltyNights: 5}, quotes.Policy{Ref: "n", PenaltyNights: 2}, [2]money.Micro{2, 4}, 0, -1, 6_000_000, "n"},
		{"a room that costs nothing", strict, cheap, [2]money.Micro{0, 100}, 0, 1, 50_000_000, "flexible-24h, saver-7d"},
		{"a fee of the stay by the policy of the booking", strict, cheap, [2]money.Micro{200, 200}, 10, 1, 305_000_000, "flexible-24h, saver-7d"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			r := confirmedOne(t)
			for i, policy := range []quotes.Policy{test.first, test.second} {
				r.Items[i].Policy = policy
				for n := range r.Items[i].Nights {
					r.Items[i].Nights[n].Amount = test.totals[i] * 500_000
				}
			}
			r.Extras = []quotes.Line{{Kind: "fee", Description: "Cleaning", Amount: test.fee * 1_000_000}}
			r.post(account.Posting{Cause: account.ByBooking, At: noon})
			at := r.Local.Midnight(r.Stay.Start).Add(time.Duration(-test.hoursBefore) * time.Hour)
			applied, back, err := CancelWish{Code: GuestCancelled, By: saga()}.Allows(r, at)
			if err != nil {
				t.Fatal(err)
			}
			if applied.Penalty != test.want {
				t.Errorf("applied.Penalty = %v, want %v", applied.Penalty, test.want)
			}
			if applied.Eligible != r.Payment.Captured-test.want {
				t.Errorf("applied.Eligible = %v, want %v", applied.Eligible, r.Payment.Captured-test.want)
			}
			if applied.Ref != test.ref {
				t.Errorf("applied.Ref = %v, want %v", applied.Ref, test.ref)
			}
			if test.want < r.Payment.Captured && (len(back) != 1 || back[0].Amount != r.Payment.Captured-test.want) {
				t.Errorf("refunds = %v, want %d", back, r.Payment.Captured-test.want)
			}
		})
	}
}

func TestCancelOnWish_noShow(t *testing.T) {
	t.Parallel()
	end := time.Date(2037, 12, 2, 1, 30, 0, 0, time.UTC) // six hours after 1 December has ended in Kabul
	for _, test := range []struct {
		name  string
		r     *Reservation
		code  Reason
		at    time.Time
		grace int
		want  error
	}{
		{"a guest before the time", confirmedOne(t), GuestCancelled, end.Add(-1), 6, nil},
		{"a guest from the time on", confirmedOne(t), GuestCancelled, end, 6, ErrIllegalTransition},
		{"the hotel from the time on", confirmedOne(t), StaffCancelled, end, 6, ErrIllegalTransition},
		{"a guest after the stay", confirmedOne(t), GuestCancelled, end.AddDate(0, 0, 7), 6, ErrIllegalTransition},
		{"no grace", confirmedOne(t), GuestCancelled, end.Add(-6 * time.Hour), 0, ErrIllegalTransition},
		{"a longer grace", confirmedOne(t), GuestCancelled, end, 12, nil},
		{"rooms that are only held", aHeld(t), GuestCancelled, end, 6, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			test.r.NoShowGrace = test.grace
			wish := CancelWish{Code: test.code, By: saga(), MayWaive: true}
			_, back, err := wish.Allows(test.r, test.at)
			if !errors.Is(err, test.want) || err != nil && back != nil {
				t.Errorf("Allows() = %v, %v, want %v", back, err, test.want)
			}
			if err := test.r.CancelOnWish(wish, test.at); !errors.Is(err, test.want) || (err == nil) != (test.r.State == Cancelled) {
				t.Errorf("CancelOnWish() = %v in state %s, want %v", err, test.r.State, test.want)
			}
		})
	}
}

func TestAllows_waiver(t *testing.T) {
	t.Parallel()
	r := aHeld(t)
	r.Policy.FreeUntil, r.Policy.PenaltyPercent = 48, 33
	if err := r.Confirm(aCapture(r), r.Hold, r.Hold.PlacedAt); err != nil {
		t.Fatal(err)
	}
	edge := r.Local.Midnight(r.Stay.Start).Add(-48 * time.Hour)
	for _, test := range []struct {
		name  string
		actor access.Role
		roles []string
		at    time.Time
		want  error
	}{
		{"the desk, while nothing is kept", access.Staff, []string{"front_desk"}, edge.Add(-1), nil},
		{"the desk, when something is", access.Staff, []string{"front_desk"}, edge, fault.ErrForbidden},
		{"somebody without a role", access.Staff, nil, edge, fault.ErrForbidden},
		{"a manager", access.Staff, []string{"front_desk", "manager"}, edge, nil},
		{"no service", access.System, []string{"manager"}, edge, fault.ErrForbidden},
	} {
		t.Run(test.name, func(t *testing.T) {
			v := access.Principal{Actor: access.Actor{Type: test.actor, ID: "usr_1"}, Roles: test.roles}
			_, back, err := CancelWish{Code: StaffCancelled, By: v.Actor, MayWaive: v.IsManager()}.Allows(r, test.at)
			if !errors.Is(err, test.want) || (err == nil) != (len(back) == 1 && back[0].Amount == r.Payment.Captured) {
				t.Errorf("%s: %v with %+v, want %v", test.name, err, back, test.want)
			}
		})
	}
}

func TestAllows_refunds(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name              string
		refunded, penalty money.Micro // of a price of 410
		eligible          money.Micro
	}{
		{"nothing refunded before", 0, 0, 410_000_000},
		{"a part refunded before", 200_000_000, 0, 210_000_000},
		{"a part refunded before, and a penalty", 200_000_000, 205_000_000, 5_000_000},
		{"less kept than the penalty", 300_000_000, 205_000_000, 0},
		{"all refunded before", 410_000_000, 0, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			r := confirmedOne(t)
			r.Learn(Intent{ID: *r.Payment.Intent, Refunded: test.refunded})
			at := r.Payment.ConfirmedAt.Add(time.Minute)
			if test.penalty > 0 {
				at = r.Stay.Start.Time().Add(-time.Hour)
			}
			applied, back, err := CancelWish{Code: GuestCancelled}.Allows(r, at)
			if err != nil {
				t.Fatal(err)
			}
			if applied.Penalty != test.penalty {
				t.Errorf("applied.Penalty = %v, want %v", applied.Penalty, test.penalty)
			}
			if applied.Eligible != test.eligible {
				t.Errorf("applied.Eligible = %v, want %v", applied.Eligible, test.eligible)
			}
			if (test.eligible > 0) != (len(back) == 1 && back[0].Amount == test.eligible) {
				t.Errorf("requests %v, want %d", back, test.eligible)
			}
		})
	}
}
