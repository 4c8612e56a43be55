package booking

import (
	"errors"
	"reflect"
	"slices"
	"testing"
	"time"

	"melmastoon.ghasi.io/functions/reservation/internal/access"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/money"
)

func TestEffectiveState(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name  string
		asOf  time.Duration // after the hold's end
		state State
		want  State
	}{
		{"just before", -time.Microsecond, Held, Held},
		{"at that moment", 0, Held, ExpiredHold},
		{"long after", time.Hour, Held, ExpiredHold},
		{"which a confirmed one ignores", time.Hour, Confirmed, Confirmed},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			r := aHeld(t)
			r.State, r.AsOf = test.state, r.Hold.ExpiresAt.Add(test.asOf)
			if got := r.EffectiveState(); got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
}

func TestExpire(t *testing.T) {
	t.Parallel()
	live := aHeld(t)
	if err := live.Expire(); !errors.Is(err, ErrIllegalTransition) || live.State != Held {
		t.Errorf("a live hold: %v, %s", err, live.State)
	}
	over := anExpired(t)
	err := over.Expire()
	if err != nil {
		t.Fatalf("one that is over: %v", err)
	}
	if over.State != ExpiredHold {
		t.Errorf("one that is over: over.State = %v, want %v", over.State, ExpiredHold)
	}
	if over.Hold.Outcome != Expired {
		t.Errorf("one that is over: over.Outcome = %v, want %v", over.Hold.Outcome, Expired)
	}
	if over.Version != 2 {
		t.Errorf("one that is over: over.Version = %v, want 2", over.Version)
	}
	if err := over.Expire(); !errors.Is(err, ErrIllegalTransition) || over.Version != 2 {
		t.Errorf("twice: %v, version %d", err, over.Version)
	}
}

func TestConfirm_accepts(t *testing.T) {
	t.Parallel()
	stranger := aHeld(t)
	for _, test := range []struct {
		name   string
		r      *Reservation
		intent func(*Reservation) Intent
		want   error
	}{
		{"capture", aHeld(t), aCapture, nil},
		{"capture after the hold", anExpired(t), aCapture, nil},
		{"promise of cash", aHeld(t), aPromise, nil},
		{"promise of cash after the hold, rooms committed before", anExpired(t), aPromise, nil},
		{"nothing captured", aHeld(t), with(aCapture, func(i *Intent) { i.Status, i.Captured = "requires_payment", 0 }), ErrNotCaptured},
		{"nothing captured, after the hold", anExpired(t), with(aCapture, func(i *Intent) { i.Status, i.Captured = "requires_payment", 0 }), ErrHoldExpired},
		{"captured too little", aHeld(t), with(aCapture, func(i *Intent) { i.Captured-- }), errTooLittle},
		{"refunded in part", aHeld(t), with(aCapture, func(i *Intent) { i.Refunded = 1 }), errTooLittle},
		{"refunded, after the hold", anExpired(t), with(aCapture, func(i *Intent) { i.Refunded = i.Captured }), errTooLittle},
		{"another currency", aHeld(t), with(aCapture, func(i *Intent) { i.Currency = money.AFN }), errTooLittle},
		{"promise of too little", aHeld(t), with(aPromise, func(i *Intent) { i.Amount-- }), ErrNotCaptured},
		{"promise by card", aHeld(t), with(aPromise, func(i *Intent) { i.Method = Card }), ErrNotCaptured},
		{"intent of another reservation", aHeld(t), func(*Reservation) Intent { return aCapture(stranger) }, errForeign},
		{"cancelled reservation", cancelledOne(t), aCapture, ErrIllegalTransition},
		{"confirmed reservation", confirmedOne(t), aCapture, ErrIllegalTransition},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			before := *test.r
			intent := test.intent(test.r)
			err := test.r.Confirm(intent, test.r.Hold, noon)
			if err != test.want {
				t.Fatalf("got %v, want %v", err, test.want)
			}
			if err != nil {
				if test.r.State != before.State {
					t.Errorf("test.r.State = %v, want %v", test.r.State, before.State)
				}
				if test.r.Version != before.Version {
					t.Errorf("test.r.Version = %v, want %v", test.r.Version, before.Version)
				}
				if !reflect.DeepEqual(test.r.Payment, before.Payment) {
					t.Errorf("test.r.Payment = %v, want %v", test.r.Payment, before.Payment)
				}
			}
			if err == nil {
				if test.r.State != Confirmed {
					t.Errorf("test.r.State = %v, want %v", test.r.State, Confirmed)
				}
				if *test.r.Payment.Intent != intent.ID {
					t.Errorf("*test.r.Intent = %v, want %v", *test.r.Payment.Intent, intent.ID)
				}
				if test.r.Hold.Outcome != Committed {
					t.Errorf("test.r.Outcome = %v, want %v", test.r.Hold.Outcome, Committed)
				}
				if test.r.Saga.Pending != "" {
					t.Errorf(`test.r.Pending = %q, want ""`, test.r.Saga.Pending)
				}
			}
		})
	}
}

func TestPaidBy(t *testing.T) {
	t.Parallel()
	r, other := confirmedOne(t), id.New[id.Intent]()
	if !r.PaidBy(r.Payment.Intent) {
		t.Error("r.PaidBy(r.Intent) = false, want true")
	}
	if r.PaidBy(&other) {
		t.Error("r.PaidBy(&other) = true, want false")
	}
	if r.PaidBy(nil) {
		t.Error("r.PaidBy(nil) = true, want false")
	}
	if aHeld(t).PaidBy(nil) {
		t.Error("aHeld(t).PaidBy(nil) = true, want false")
	}
	r = aHeld(t)
	if err := r.Confirm(aPromise(r), r.Hold, noon); err != nil || !r.PaidBy(nil) {
		t.Errorf("a promise of cash is not known again: %v", err)
	}
}

func TestCancel_liveHoldOnly(t *testing.T) {
	t.Parallel()
	for name, cancel := range map[string]func(*Reservation) error{
		"unpaid": func(r *Reservation) error { return r.CancelUnpaid(noon) },
		"lost":   func(r *Reservation) error { return r.CancelLost(noon) },
		"replaced": func(r *Reservation) error {
			return r.Replace(access.Actor{Type: access.Guest, ID: "gst_1"}, noon)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := aHeld(t)
			err := cancel(r)
			if err != nil {
				t.Fatalf("a live hold: %v", err)
			}
			if r.State != Cancelled {
				t.Errorf("a live hold: r.State = %v, want %v", r.State, Cancelled)
			}
			if r.Hold.Outcome != Released {
				t.Errorf("a live hold: r.Outcome = %v, want %v", r.Hold.Outcome, Released)
			}
			if r.Cancellation.Refunds != nil {
				t.Errorf("a live hold: r.Cancellation.Refunds = %v, want nil", r.Cancellation.Refunds)
			}
			for _, r := range []*Reservation{anExpired(t), confirmedOne(t), cancelledOne(t)} {
				if name == "replaced" && r.EffectiveState() == ExpiredHold { // a late payment could confirm it otherwise
					if err := cancel(r); err != nil {
						t.Errorf("an expired hold: %v", err)
					}
					if r.State != Cancelled || r.Hold.Outcome != Expired {
						t.Errorf("state = %s with the outcome %s, want %s and %s", r.State, r.Hold.Outcome, Cancelled, Expired)
					}
					continue
				}
				t.Run(string(r.EffectiveState()), func(t *testing.T) {
					if err := cancel(r); !errors.Is(err, ErrIllegalTransition) {
						t.Errorf("error = %v, want %v", err, ErrIllegalTransition)
					}
				})
			}
		})
	}
}

func TestCancelSoldOut_refunds(t *testing.T) {
	t.Parallel()
	r := anExpired(t)
	capture := aCapture(r)
	if err := r.CancelSoldOut(capture, noon); err != nil {
		t.Fatal(err)
	}
	c := r.Cancellation
	if c.Code != InventoryFailed {
		t.Errorf("c.Code = %v, want %v", c.Code, InventoryFailed)
	}
	want := []Refund{{ID: id.Derive[id.Refund](r.ID, "sold out/"+capture.ID.String()), Intent: capture.ID, Amount: r.Total}}
	if !slices.Equal(c.Refunds, want) {
		t.Errorf("c.Refunds = %v, want %v", c.Refunds, want)
	}
	if c.Applied.Eligible != r.Total {
		t.Errorf("c.Applied.Eligible = %v, want %v", c.Applied.Eligible, r.Total)
	}
	if c.Applied.Penalty != 0 {
		t.Errorf("c.Applied.Penalty = %v, want 0", c.Applied.Penalty)
	}
	if r.Hold.Outcome != Expired {
		t.Errorf("the hold ended %s a second time", r.Hold.Outcome)
	}
	if _, refundable := r.RefundableAmount(capture); refundable {
		t.Error("RefundableAmount() returns money that the cancellation refunds")
	}
	if err := aHeld(t).CancelSoldOut(capture, noon); !errors.Is(err, ErrNotCaptured) {
		t.Errorf("another reservation asks for that money: %v", err)
	}
}

func TestRefundableAmount(t *testing.T) {
	t.Parallel()
	own, lateCash := confirmedOne(t), confirmedOne(t)
	lateCash.Payment = Payment{}
	lateCash.pay(aPromise(lateCash))
	lateCash.Payment.Intent = &lateCash.Payment.Intents[0].Intent
	if err := lateCash.cancel(StaffCancelled, "", saga(), noon, nil); err != nil {
		t.Fatal(err)
	}
	collected := with(aCapture, func(i *Intent) { i.ID, i.Method = *lateCash.Payment.Intent, CashOnArrival })
	for _, test := range []struct {
		name   string
		r      *Reservation
		intent func(*Reservation) Intent
		want   bool
	}{
		{"after a cancellation", cancelledOne(t), aCapture, true},
		{"after another payment", confirmedOne(t), aCapture, true},
		{"captured too little, refund", aHeld(t), with(aCapture, func(i *Intent) { i.Captured = 1 }), true},
		{"live hold", aHeld(t), aCapture, false},
		{"expired hold", anExpired(t), aCapture, false},
		{"a promise collected after a cancellation", lateCash, collected, true},
		{"intent of the confirmation", own, with(aCapture, func(i *Intent) { i.ID = *own.Payment.Intent }), false},
		{"refunded before", cancelledOne(t), with(aCapture, func(i *Intent) { i.Refunded = i.Captured }), false},
		{"promise of cash, not collected", cancelledOne(t), aPromise, false},
		{"intent of another reservation, refund", cancelledOne(t), with(aCapture, func(i *Intent) { i.Reservation = own.ID }), false},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			intent := test.intent(test.r)
			back, refundable := test.r.RefundableAmount(intent)
			if refundable != test.want {
				t.Fatalf("got %v, want %v", refundable, test.want)
			}
			if refundable && back != intent.refund(BoughtNothing, intent.kept()) {
				t.Errorf("gives back %v of %v", back, intent)
			}
		})
	}
}

func TestOrphanedAllocations(t *testing.T) {
	t.Parallel()
	r := anExpired(t)
	capture := aCapture(r)
	if rooms := r.OrphanedAllocations(capture); rooms != nil {
		t.Errorf("%v are taken from an attempt that may succeed", rooms)
	}
	if err := r.CancelSoldOut(aCapture(r), noon); err != nil {
		t.Fatal(err)
	}
	rooms := r.OrphanedAllocations(capture)
	for attempt := range maxHoldRetries {
		for _, a := range r.retryHold(capture.ID, attempt).Allocations {
			if !slices.Contains(rooms, a) {
				t.Errorf("attempt %d keeps %s", attempt, a)
			}
		}
	}
	if slices.Contains(rooms, r.Hold.Allocations[0]) {
		t.Error("the first hold's rooms are released twice")
	}
}

func with(open func(*Reservation) Intent, change func(*Intent)) func(*Reservation) Intent {
	return func(r *Reservation) Intent {
		i := open(r)
		change(&i)
		return i
	}
}

func confirmedOne(t testing.TB) *Reservation {
	t.Helper()
	r := aHeld(t)
	if err := r.Confirm(aCapture(r), r.Hold, noon); err != nil {
		t.Fatal(err)
	}
	return r
}

func cancelledOne(t testing.TB) *Reservation {
	t.Helper()
	r := aHeld(t)
	if err := r.CancelUnpaid(noon); err != nil {
		t.Fatal(err)
	}
	return r
}
