package booking

import (
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"melmastoon.ghasi.io/functions/reservation/internal/access"
	"melmastoon.ghasi.io/functions/reservation/internal/account"
	"melmastoon.ghasi.io/functions/reservation/internal/quotes"
	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/money"
)

// departure is noon in Kabul on the day on which the guest of aHeld leaves.
var departure = time.Date(2037, 12, 3, 7, 30, 0, 0, time.UTC)

func names(events []event.Draft) (all []string) {
	for _, d := range events {
		all = append(all, strings.TrimSuffix(strings.TrimPrefix(d.Subject.Name, "melmastoon.reservation."), ".v1"))
	}
	return all
}

func TestLeave_folio(t *testing.T) {
	t.Parallel()
	desk, boss := LeaveWish{By: access.Actor{Type: access.Staff, ID: "usr_desk"}}, LeaveWish{By: access.Actor{Type: access.Staff, ID: "usr_boss"}, Manager: true}
	with := func(w LeaveWish, settled, force bool) LeaveWish {
		w.Folio, w.Force = aFolio(), force
		w.Folio.Settled = settled
		return w
	}
	for _, test := range []struct {
		name   string
		wish   LeaveWish
		want   error
		state  State
		events []string
		forced bool
	}{
		{"without a folio", desk, nil, CheckoutStarted, []string{"checkout_started"}, false},
		{"settled", with(desk, true, false), nil, CheckedOut, []string{"checkout_started", "checked_out"}, false},
		{"unsettled", with(desk, false, false), ErrFolioUnsettled, CheckedIn, nil, false},
		{"unsettled, to a manager", with(boss, false, false), ErrFolioUnsettled, CheckedIn, nil, false},
		{"forced by the desk", with(desk, false, true), fault.ErrForbidden, CheckedIn, nil, false},
		{"a settled one forced by the desk", with(desk, true, true), fault.ErrForbidden, CheckedIn, nil, false},
		{"forced by a manager", with(boss, false, true), nil, CheckedOut, []string{"checkout_started", "checked_out"}, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			r := checkedInOne(t)
			before := *r
			events, err := r.Leave(test.wish, departure)
			if !errors.Is(err, test.want) {
				t.Errorf("Leave() error = %v, want %v", err, test.want)
			}
			if r.State != test.state {
				t.Errorf("state = %s, want %s", r.State, test.state)
			}
			if got := names(events); !slices.Equal(got, test.events) {
				t.Errorf("events = %v, want %v", got, test.events)
			}
			for i, d := range events {
				if want := before.Version + 1 + i; d.AggregateVersion != want {
					t.Errorf("version of event %d = %d, want %d", i, d.AggregateVersion, want)
				}
			}
			if err != nil && !reflect.DeepEqual(*r, before) {
				t.Error("the reservation has changed")
			}
			if r.State == CheckedOut && r.CheckOut.Forced != test.forced {
				t.Errorf("forced = %v, want %v", r.CheckOut.Forced, test.forced)
			}
		})
	}
}

// What is due after the nights not slept are released must be on the folio, unless a manager forces the check-out.
func TestLeave_balanceDue(t *testing.T) {
	t.Parallel()
	desk, boss := LeaveWish{By: access.Actor{Type: access.Staff, ID: "usr_desk"}}, LeaveWish{By: access.Actor{Type: access.Staff, ID: "usr_boss"}, Manager: true}
	const due = 50_000_000
	with := func(w LeaveWish, carried money.Micro, c money.Currency, force bool) LeaveWish {
		w.Folio, w.Force = &Folio{ID: "fol_1", Balance: carried, Currency: c, Settled: true}, force
		return w
	}
	for _, test := range []struct {
		name    string
		wish    LeaveWish
		at      time.Time
		want    error
		settled bool
		forced  bool
	}{
		{"not on the folio", with(desk, 0, money.USD, false), departure, ErrBalanceDue, false, false},
		{"not on the folio, to a manager", with(boss, 0, money.USD, false), departure, ErrBalanceDue, false, false},
		{"not all on the folio", with(desk, due-1, money.USD, false), departure, ErrBalanceDue, false, false},
		{"in another currency", with(desk, due, money.AFN, false), departure, ErrBalanceDue, false, false},
		{"on the folio", with(desk, due, money.USD, false), departure, nil, true, false},
		{"on a folio with more", with(desk, due+1, money.USD, false), departure, nil, true, false},
		{"forced", with(boss, 0, money.USD, true), departure, nil, false, true},
		{"forced though it is on the folio", with(boss, due, money.USD, true), departure, nil, true, false},
		{"before the second night, which is not due", with(desk, 0, money.USD, false), departure.AddDate(0, 0, -1), nil, true, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			r := checkedInOne(t)
			for i := range r.Items {
				r.Items[i].Policy = quotes.Policy{Ref: "p"}
			}
			r.Items[0].Nights = slices.Clone(r.Items[0].Nights)
			r.Items[0].Nights[1].Amount += due
			r.post(account.Posting{Cause: account.ByModification, At: arrival})
			before := *r
			_, err := r.Leave(test.wish, test.at)
			if !errors.Is(err, test.want) {
				t.Fatalf("Leave() error = %v, want %v", err, test.want)
			}
			if err != nil {
				if got, want := fault.From(err).Members, map[string]any{"dueMicro": money.Micro(due), "currency": money.USD}; !reflect.DeepEqual(got, want) {
					t.Errorf("the problem shows %v, want %v", got, want)
				}
				if !reflect.DeepEqual(*r, before) {
					t.Error("the reservation has changed")
				}
				return
			}
			if r.CheckOut.Folio.Settled != test.settled || r.CheckOut.Forced != test.forced {
				t.Errorf("settled = %v and forced = %v, want %v and %v", r.CheckOut.Folio.Settled, r.CheckOut.Forced, test.settled, test.forced)
			}
			if events, err := r.Leave(test.wish, test.at); err != nil || events != nil {
				t.Errorf("repeated: Leave() = %v, %v, want no event", names(events), err)
			}
		})
	}
}

func TestLeave_repeated(t *testing.T) {
	t.Parallel()
	desk := access.Actor{Type: access.Staff, ID: "usr_desk"}
	other := aFolio()
	other.ID = "fol_2"
	for _, test := range []struct {
		name string
		r    *Reservation
		wish LeaveWish
		want error
	}{
		{"the start", checkoutStartedOne(t), LeaveWish{By: desk}, nil},
		{"the end", checkedOutOne(t), LeaveWish{By: desk, Folio: aFolio()}, nil},
		{"the start after the end", checkedOutOne(t), LeaveWish{By: desk}, ErrIllegalTransition},
		{"the end with another folio", checkedOutOne(t), LeaveWish{By: desk, Folio: other}, ErrIllegalTransition},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			before := *test.r
			events, err := test.r.Leave(test.wish, departure)
			if !errors.Is(err, test.want) || events != nil {
				t.Errorf("Leave() = %v, %v, want none, %v", names(events), err, test.want)
			}
			if !reflect.DeepEqual(*test.r, before) {
				t.Error("the reservation has changed")
			}
		})
	}
}

func TestLeave_early(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name     string
		at       time.Time // by a clock in Kabul
		policy   quotes.Policy
		refunded money.Micro // of a price of 410 for two nights
		early    bool
		penalty  money.Micro
		price    money.Micro
		back     money.Micro
	}{
		{"before the second night, at half its price", departure.AddDate(0, 0, -1), quotes.Policy{Ref: "p", PenaltyPercent: 50}, 0, true, 102_500_000, 307_500_000, 102_500_000},
		{"before the second night, free", departure.AddDate(0, 0, -1), quotes.Policy{Ref: "p"}, 0, true, 0, 205_000_000, 205_000_000},
		{"before the second night, all kept", departure.AddDate(0, 0, -1), quotes.Policy{Ref: "p", PenaltyPercent: 100}, 0, true, 205_000_000, 410_000_000, 0},
		{"on the arrival day, one night kept", arrival.Add(time.Hour), quotes.Policy{Ref: "p", PenaltyNights: 1}, 0, true, 205_000_000, 205_000_000, 205_000_000},
		{"after a refund", departure.AddDate(0, 0, -1), quotes.Policy{Ref: "p"}, 150_000_000, true, 0, 205_000_000, 55_000_000},
		{"after a refund of more", departure.AddDate(0, 0, -1), quotes.Policy{Ref: "p"}, 300_000_000, true, 0, 205_000_000, 0},
		{"a second before the last day", time.Date(2037, 12, 2, 19, 29, 59, 0, time.UTC), quotes.Policy{Ref: "p"}, 0, true, 0, 205_000_000, 205_000_000},
		{"as the last day begins", time.Date(2037, 12, 2, 19, 30, 0, 0, time.UTC), quotes.Policy{Ref: "p"}, 0, false, 0, 410_000_000, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			r := checkedInOne(t)
			r.Items[0].Policy, r.Items[1].Policy = test.policy, test.policy
			r.Learn(Intent{ID: *r.Payment.Intent, Refunded: test.refunded})
			if got := r.LeavesEarly(test.at); got != test.early {
				t.Errorf("LeavesEarly() = %v, want %v", got, test.early)
			}
			events, err := r.Leave(LeaveWish{By: access.Actor{Type: access.Staff, ID: "usr_desk"}, Folio: aFolio()}, test.at)
			if err != nil {
				t.Fatal(err)
			}
			if early := slices.Contains(names(events), "early_checkout"); early != test.early {
				t.Errorf("early_checkout published: %v, want %v", early, test.early)
			}
			if got, want := r.Hold.Outcome, map[bool]Outcome{true: Released, false: Committed}[test.early]; got != want {
				t.Errorf("outcome of the hold = %s, want %s", got, want)
			}
			if got := r.priceDue(); got != test.price {
				t.Errorf("priceDue() = %d, want %d", got, test.price)
			}
			var back money.Micro
			for _, refund := range r.Payment.Requested {
				back += refund.Amount
			}
			if back != test.back {
				t.Errorf("refunds = %d, want %d", back, test.back)
			}
			if !test.early {
				return
			}
			e := r.CheckOut.Early
			if got, want := e.Applied, (Applied{Ref: "p", Eligible: test.back, Penalty: test.penalty, Currency: money.USD}); got != want {
				t.Errorf("applied = %+v, want %+v", got, want)
			}
			if !slices.Equal(e.Allocations, r.Hold.Allocations) {
				t.Errorf("releases %v, want %v", e.Allocations, r.Hold.Allocations)
			}
			if got, want := names(events), []string{"checkout_started", "early_checkout", "checked_out"}; !slices.Equal(got, want) {
				t.Errorf("events = %v, want %v", got, want)
			}
		})
	}
}

func TestLeave_overstayed(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name string
		zone string
		at   time.Time
		want int
	}{
		{"in time", "Asia/Kabul", departure, 0},
		{"late on the last day", "Asia/Kabul", time.Date(2037, 12, 3, 19, 29, 59, 0, time.UTC), 0},
		{"after midnight", "Asia/Kabul", time.Date(2037, 12, 3, 19, 30, 0, 0, time.UTC), 1},
		{"after two midnights", "Asia/Kabul", time.Date(2037, 12, 4, 19, 30, 0, 0, time.UTC), 2},
		{"before midnight elsewhere", "America/New_York", time.Date(2037, 12, 4, 4, 59, 59, 0, time.UTC), 0},
		{"after midnight elsewhere", "America/New_York", time.Date(2037, 12, 4, 5, 0, 0, 0, time.UTC), 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			r := checkedInOne(t)
			r.Local.TimeZone = test.zone
			if _, err := r.Leave(LeaveWish{By: access.Actor{Type: access.Staff, ID: "usr_desk"}, Folio: aFolio()}, test.at); err != nil {
				t.Fatal(err)
			}
			if got := r.CheckOut.Overstayed; got != test.want {
				t.Errorf("overstayed nights = %d, want %d", got, test.want)
			}
		})
	}
}

func TestLeave_keys(t *testing.T) {
	t.Parallel()
	r := checkedInOne(t)
	r.Keys[1].Status = KeyPending
	r.await(AwaitKeys, arrival)
	if _, err := r.Leave(LeaveWish{By: access.Actor{Type: access.Staff, ID: "usr_desk"}}, departure); err != nil {
		t.Fatal(err)
	}
	if r.Saga.Pending != AwaitKeys {
		t.Errorf("while the check-out is open, pending step = %q, want %q", r.Saga.Pending, AwaitKeys)
	}
	if got := r.keys(KeyRevoked); len(got) != 0 {
		t.Errorf("while the check-out is open, %v are revoked", got)
	}
	late := r.Keys[1]
	if _, err := r.Leave(LeaveWish{By: access.Actor{Type: access.Staff, ID: "usr_desk"}, Folio: aFolio()}, departure); err != nil {
		t.Fatal(err)
	}
	if r.Saga.Pending != "" {
		t.Errorf("pending step = %q, want none", r.Saga.Pending)
	}
	if got := r.keys(KeyRevoked); len(got) != 2 {
		t.Errorf("%d keys are revoked, want 2", len(got))
	}
	late.Status = KeyIssued
	if _, err := r.SetKey(late); !errors.Is(err, ErrIllegalTransition) {
		t.Errorf("SetKey() for a late key = %v, want %v", err, ErrIllegalTransition)
	}
}

func TestLeave_members(t *testing.T) {
	t.Parallel()
	r := checkoutStartedOne(t)
	start := *r.CheckOut
	if _, err := r.Leave(LeaveWish{By: access.Actor{Type: access.Staff, ID: "usr_boss"}, Folio: aFolio(), Reason: "left in a hurry"}, departure); err != nil {
		t.Fatal(err)
	}
	c := r.CheckOut
	if !c.StartedAt.Equal(start.StartedAt) {
		t.Errorf("startedAt = %v, want %v", c.StartedAt, start.StartedAt)
	}
	if c.By.ID != "usr_boss" {
		t.Errorf("actor = %v, want who completed it", c.By)
	}
	if c.Reason != "left in a hurry" {
		t.Errorf("reason = %q, want %q", c.Reason, "left in a hurry")
	}
	if start.At != nil {
		t.Error("the start has the time of the end")
	}
	for name, of := range map[string]*Reservation{"checked in": checkedInOne(t), "check-out started": checkoutStartedOne(t)} {
		t.Run(name, func(t *testing.T) {
			of.Saga.Plan = &Plan{}
			if _, err := of.Leave(LeaveWish{Folio: aFolio()}, departure); !errors.Is(err, errChanging) {
				t.Errorf("Leave() with a change in progress = %v, want %v", err, errChanging)
			}
		})
	}
}

// aFolio returns a settled folio.
func aFolio() *Folio { return &Folio{ID: "fol_1", Currency: money.USD, Settled: true} }

// checkoutStartedOne returns a reservation whose check-out has started on the arrival day.
func checkoutStartedOne(t testing.TB) *Reservation {
	t.Helper()
	r := checkedInOne(t)
	if _, err := r.Leave(LeaveWish{By: access.Actor{Type: access.Staff, ID: "usr_desk"}}, arrival); err != nil {
		t.Fatal(err)
	}
	return r
}

// checkedOutOne returns a reservation whose guest has left on the arrival day, two days early.
func checkedOutOne(t testing.TB) *Reservation {
	t.Helper()
	r := checkedInOne(t)
	if _, err := r.Leave(LeaveWish{By: access.Actor{Type: access.Staff, ID: "usr_desk"}, Folio: aFolio()}, arrival.Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	return r
}
