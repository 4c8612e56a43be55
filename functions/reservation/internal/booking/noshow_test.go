package booking

import (
	"errors"
	"reflect"
	"slices"
	"testing"
	"time"

	"melmastoon.ghasi.io/functions/reservation/internal/access"
	"melmastoon.ghasi.io/functions/reservation/internal/quotes"
	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/money"
)

func TestMiss_time(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		zone    string
		start   string
		arrives time.Time // the business date of the arrival begins: 06:00
		missed  time.Time // six hours after it has ended
	}{
		{"Asia/Kabul", "2037-12-01", time.Date(2037, 12, 1, 1, 30, 0, 0, time.UTC), time.Date(2037, 12, 2, 1, 30, 0, 0, time.UTC)},
		{"Asia/Tehran", "2037-12-01", time.Date(2037, 12, 1, 2, 30, 0, 0, time.UTC), time.Date(2037, 12, 2, 2, 30, 0, 0, time.UTC)},
		{"America/New_York", "2038-03-13", time.Date(2038, 3, 13, 11, 0, 0, 0, time.UTC), time.Date(2038, 3, 14, 11, 0, 0, 0, time.UTC)},  // the clocks go forward on the 14th
		{"America/New_York", "2037-10-31", time.Date(2037, 10, 31, 10, 0, 0, 0, time.UTC), time.Date(2037, 11, 1, 10, 0, 0, 0, time.UTC)}, // and back on 1 November
	} {
		t.Run(test.zone+" "+test.start, func(t *testing.T) {
			t.Parallel()
			for _, step := range []struct {
				name string
				at   time.Time
				by   MissWish
				want error
			}{
				{"a manager before the arrival day", test.arrives.Add(-time.Second), MissWish{Manager: true}, ErrBeforeArrival},
				{"the desk before the arrival day", test.arrives.Add(-time.Second), MissWish{}, ErrBeforeArrival},
				{"a manager on the arrival day", test.arrives, MissWish{Manager: true}, nil},
				{"the desk on the arrival day", test.arrives.Add(time.Second), MissWish{}, fault.ErrForbidden},
				{"the desk before the time", test.missed.Add(-time.Second), MissWish{}, fault.ErrForbidden},
				{"the desk at the time", test.missed, MissWish{}, nil},
				{"the desk after the time", test.missed.Add(time.Second), MissWish{}, nil},
				{"the sweep before the time", test.missed.Add(-time.Second), MissBySweep(), fault.ErrForbidden},
				{"the sweep at the time", test.missed, MissBySweep(), nil},
			} {
				t.Run(step.name, func(t *testing.T) {
					r := confirmedOne(t)
					r.Local.TimeZone, r.Stay.Start = test.zone, night(t, test.start)
					r.Stay.End = r.Stay.Start.AddDays(2)
					before := *r
					if due := r.Overdue(step.at); due != !step.at.Before(test.missed) {
						t.Errorf("%s: Overdue() = %v", step.name, due)
					}
					missed, err := r.Miss(step.by, step.at)
					if !errors.Is(err, step.want) || missed != (step.want == nil) {
						t.Errorf("%s: Miss() = %v, %v, want %v", step.name, missed, err, step.want)
					}
					if err != nil && !reflect.DeepEqual(*r, before) {
						t.Errorf("%s: the reservation has changed", step.name)
					}
				})
			}
		})
	}
}

func TestMiss_money(t *testing.T) {
	t.Parallel()
	half := 50
	for _, test := range []struct {
		name     string
		policy   quotes.Policy
		refunded money.Micro // of a price of 410
		waive    bool
		penalty  money.Micro
		back     money.Micro
	}{
		{"as a late cancellation", quotes.Policy{Ref: "p", PenaltyPercent: 100}, 0, false, 410_000_000, 0},
		{"a share", quotes.Policy{Ref: "p", PenaltyPercent: 100, NoShowPercent: &half}, 0, false, 205_000_000, 205_000_000},
		{"one night", quotes.Policy{Ref: "p", NoShowNights: 1, PenaltyPercent: 100}, 0, false, 205_000_000, 205_000_000},
		{"waived", quotes.Policy{Ref: "p", PenaltyPercent: 100}, 0, true, 0, 410_000_000},
		{"after a refund", quotes.Policy{Ref: "p", NoShowNights: 1}, 300_000_000, false, 205_000_000, 0},
		{"a part after a refund", quotes.Policy{Ref: "p", NoShowNights: 1}, 100_000_000, false, 205_000_000, 105_000_000},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			r := confirmedOne(t)
			r.Items[0].Policy, r.Items[1].Policy = test.policy, test.policy
			r.Learn(Intent{ID: *r.Payment.Intent, Refunded: test.refunded})
			if _, err := r.Miss(MissWish{By: access.Actor{Type: access.Staff, ID: "usr_boss"}, Manager: true, Waive: test.waive}, r.noShowAt()); err != nil {
				t.Fatal(err)
			}
			if got, want := r.Missed.Applied, (Applied{Ref: "p", Eligible: test.back, Penalty: test.penalty, Currency: money.USD}); got != want {
				t.Errorf("applied = %+v, want %+v", got, want)
			}
			var back money.Micro
			for _, refund := range r.Missed.Refunds {
				back += refund.Amount
			}
			if back != test.back {
				t.Errorf("refunds = %d, want %d", back, test.back)
			}
			if !slices.Equal(r.Payment.Requested, r.Missed.Refunds) {
				t.Errorf("Requested = %v, want %v", r.Payment.Requested, r.Missed.Refunds)
			}
			if got := r.Balance().Due; got != 0 { // what the hotel gave back on its own is not due again
				t.Errorf("due = %d, want 0", got)
			}
		})
	}
}

func TestMiss_severalPayments(t *testing.T) {
	t.Parallel()
	r := confirmedOne(t)
	r.Payment.Intents[0].Captured = 300_000_000
	second := IntentPayment{Intent: id.New[id.Intent](), Method: MobileMoney, Status: Captured, Captured: 110_000_000}
	r.Payment.Intents = append(r.Payment.Intents, second)
	night := quotes.Policy{Ref: "p", NoShowNights: 1}
	r.Items[0].Policy, r.Items[1].Policy = night, night
	if _, err := r.Miss(MissBySweep(), r.noShowAt()); err != nil {
		t.Fatal(err)
	}
	var got []Refund
	for _, refund := range r.Missed.Refunds {
		got = append(got, Refund{Intent: refund.Intent, Amount: refund.Amount})
	}
	want := []Refund{{Intent: second.Intent, Amount: 110_000_000}, {Intent: *r.Payment.Intent, Amount: 95_000_000}}
	if !slices.Equal(got, want) {
		t.Errorf("refunds = %v, want the latest payment first: %v", got, want)
	}
}

func TestMiss_effects(t *testing.T) {
	t.Parallel()
	r := confirmedOne(t)
	room := id.New[id.Room]()
	r.Items[0].Room = &room
	if _, err := r.SetKey(Key{ID: id.New[id.KeyCredential](), Item: r.Items[0].ID, Room: room, Status: KeyIssued}); err != nil {
		t.Fatal(err)
	}
	version := r.Version
	if _, err := r.Miss(MissBySweep(), r.noShowAt()); err != nil {
		t.Fatal(err)
	}
	if r.State != NoShow {
		t.Errorf("state = %s, want %s", r.State, NoShow)
	}
	if r.Hold.Outcome != Released {
		t.Errorf("outcome of the hold = %s, want %s", r.Hold.Outcome, Released)
	}
	if r.Version != version+1 {
		t.Errorf("version = %d, want %d", r.Version, version+1)
	}
	if r.Keys[0].Status != KeyRevoked {
		t.Errorf("key is %s, want %s", r.Keys[0].Status, KeyRevoked)
	}
	if !slices.Equal(r.Missed.Allocations, r.Hold.Allocations) {
		t.Errorf("releases %v, want %v", r.Missed.Allocations, r.Hold.Allocations)
	}
	if r.Missed.By != saga() {
		t.Errorf("actor = %v, want %v", r.Missed.By, saga())
	}
	if r.Cancellation != nil {
		t.Errorf("cancellation = %v, want nil", r.Cancellation)
	}
}

func TestMiss_roles(t *testing.T) {
	t.Parallel()
	desk, boss := access.Actor{Type: access.Staff, ID: "usr_desk"}, access.Actor{Type: access.Staff, ID: "usr_boss"}
	for _, test := range []struct {
		name string
		wish MissWish
		want error
	}{
		{"the desk", MissWish{By: desk}, nil},
		{"the desk waives", MissWish{By: desk, Waive: true}, fault.ErrForbidden},
		{"a manager waives", MissWish{By: boss, Manager: true, Waive: true}, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			r := confirmedOne(t)
			if _, err := r.Miss(test.wish, r.noShowAt()); !errors.Is(err, test.want) {
				t.Errorf("Miss() error = %v, want %v", err, test.want)
			}
		})
	}
}

func TestMiss_repeated(t *testing.T) {
	t.Parallel()
	desk := MissWish{By: access.Actor{Type: access.Staff, ID: "usr_desk"}, Manager: true}
	for _, test := range []struct {
		name  string
		again MissWish
		want  error
	}{
		{"by the same person", desk, nil},
		{"by another", MissWish{By: access.Actor{Type: access.Staff, ID: "usr_other"}}, ErrIllegalTransition},
		{"by the sweep", MissBySweep(), ErrIllegalTransition},
		{"with a waiver", MissWish{By: desk.By, Manager: true, Waive: true}, ErrIllegalTransition},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			r := confirmedOne(t)
			if _, err := r.Miss(desk, r.noShowAt()); err != nil {
				t.Fatal(err)
			}
			before := *r
			if missed, err := r.Miss(test.again, r.noShowAt()); missed || !errors.Is(err, test.want) {
				t.Errorf("Miss() = %v, %v, want false, %v", missed, err, test.want)
			}
			if !reflect.DeepEqual(*r, before) {
				t.Error("the reservation has changed")
			}
		})
	}
}

func TestMiss_spared(t *testing.T) {
	t.Parallel()
	r := confirmedOne(t)
	until := r.noShowAt().Add(18 * time.Hour)
	r.SparedUntil = &until
	if r.Overdue(until.Add(-time.Second)) {
		t.Error("Overdue() = true before the end of the extra time")
	}
	if !r.Overdue(until) {
		t.Error("Overdue() = false at the end of the extra time")
	}
	r.Saga.Plan = &Plan{}
	if r.Overdue(until) {
		t.Error("Overdue() = true with a change in progress")
	}
	if _, err := r.Miss(MissBySweep(), until); !errors.Is(err, errChanging) {
		t.Errorf("Miss() with a change in progress = %v, want %v", err, errChanging)
	}
}

// missedOne returns a reservation whose guest did not come.
func missedOne(t testing.TB) *Reservation {
	t.Helper()
	r := confirmedOne(t)
	if missed, err := r.Miss(MissBySweep(), r.noShowAt()); err != nil || !missed {
		t.Fatalf("Miss() = %v, %v", missed, err)
	}
	return r
}
