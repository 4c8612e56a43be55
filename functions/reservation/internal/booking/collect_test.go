package booking

import (
	"context"
	"errors"
	"slices"
	"testing"

	"melmastoon.ghasi.io/functions/reservation/internal/access"
	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/platform/postgres"
	"melmastoon.ghasi.io/shared/testkit/pgtest"
)

// edit changes the stored reservation. It publishes only a cancellation.
func (s *confirmTest) edit(change func(*Reservation)) {
	s.t.Helper()
	err := s.reservations.In(s.t.Context(), s.r.Tenant, func(tx postgres.Tx) error {
		r, err := s.reservations.Lock(s.t.Context(), tx, access.Scope{Tenant: s.r.Tenant}, s.r.ID)
		if err != nil {
			return err
		}
		change(r)
		r.Version++
		var events []event.Draft
		if r.State == Cancelled {
			events = append(events, ReservationCancelled(r))
		}
		if r.State == NoShow {
			events = append(events, GuestMissed(r))
		}
		return s.reservations.Save(s.t.Context(), tx, r, events...)
	})
	if err != nil {
		s.t.Fatal(err)
	}
}

// dearer raises the price of the stored reservation, as a change of dates does.
func (s *confirmTest) dearer(by money.Micro) { s.edit(func(r *Reservation) { r.cost(by) }) }

// confirmed sets a confirmed reservation, paid by card or promised in cash.
func (s *confirmTest) confirmed(claim func(*confirmTest) *id.Intent) *id.Intent {
	s.t.Helper()
	intent := claim(s)
	if err := s.confirm(intent); err != nil {
		s.t.Fatal(err)
	}
	if intent == nil {
		intent = s.now().Payment.Intent
	}
	return intent
}

// collects turns the promise of an intent into a capture.
func (s *confirmTest) collects(i *id.Intent, amount money.Micro) {
	s.fakePayments.mu.Lock()
	defer s.fakePayments.mu.Unlock()
	capture := id.New[id.Event]()
	known := s.fakePayments.intents[*i]
	known.Status, known.Captured, known.CaptureEvent = Captured, amount, &capture
}

// second adds a captured intent over an amount.
func (s *confirmTest) second(amount money.Micro) *id.Intent {
	i := s.pays(with(aCapture, func(i *Intent) { i.Amount, i.Captured = amount, amount })(s.r))
	return &i.ID
}

// adds fails the test unless what was captured is what the reservation keeps, what it has asked back and what was refunded.
func (s *confirmTest) adds() {
	s.t.Helper()
	r := s.now()
	s.fakePayments.mu.Lock()
	defer s.fakePayments.mu.Unlock()
	var captured, refunded money.Micro
	for _, i := range s.fakePayments.intents {
		captured += i.Captured
		refunded += i.Refunded
		if r.capturedOf(i.ID) == 0 && i.kept() != 0 {
			s.t.Errorf("intent %s keeps %d outside of the reservation", i.ID, i.kept())
		}
	}
	for _, back := range r.Payment.Requested {
		refunded += back.Amount
	}
	if captured != r.Payment.kept()+refunded {
		s.t.Errorf("captured %d, kept %d, refunded %d", captured, r.Payment.kept(), refunded)
	}
}

func TestCollect(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	const more = 90
	type outcome struct {
		kept   money.Micro // beyond the price of aHeld
		due    money.Micro
		method Method
		status PaymentStatus
		count  int // intents of the reservation
	}
	for _, test := range []struct {
		name  string
		first func(*confirmTest) *id.Intent
		then  func(*confirmTest, *id.Intent) *id.Intent
		want  outcome
	}{
		{"cash promised", cash, func(_ *confirmTest, i *id.Intent) *id.Intent { return i },
			outcome{kept: -price, due: price, method: CashOnArrival, status: PendingCash, count: 1}},
		{"cash collected", cash, func(s *confirmTest, i *id.Intent) *id.Intent { s.collects(i, s.r.Total); return i },
			outcome{method: CashOnArrival, status: Captured, count: 1}},
		{"cash collected after the price fell", cash, func(s *confirmTest, i *id.Intent) *id.Intent {
			s.dearer(-more)
			s.collects(i, s.r.Total)
			return i
		}, outcome{kept: -more, method: CashOnArrival, status: Captured, count: 1}},
		{"cash collected and refunded", cash, func(s *confirmTest, i *id.Intent) *id.Intent {
			s.collects(i, s.r.Total)
			s.fakePayments.intents[*i].Refunded = s.r.Total
			return i
		}, outcome{kept: -price, method: CashOnArrival, status: Captured, count: 1}},
		{"card instead of cash", cash, func(s *confirmTest, _ *id.Intent) *id.Intent { return s.second(s.r.Total) },
			outcome{method: Card, status: Captured, count: 2}},
		{"second intent for a change", captured, func(s *confirmTest, _ *id.Intent) *id.Intent {
			s.dearer(more)
			return s.second(more)
		}, outcome{kept: more, method: Mixed, status: Captured, count: 2}},
		{"second intent for a part", captured, func(s *confirmTest, _ *id.Intent) *id.Intent {
			s.dearer(more)
			return s.second(more - 1)
		}, outcome{kept: more - 1, due: 1, method: Mixed, status: Captured, count: 2}},
		{"second intent with a surplus", captured, func(s *confirmTest, _ *id.Intent) *id.Intent {
			s.dearer(more)
			return s.second(more + 5)
		}, outcome{kept: more, method: Mixed, status: Captured, count: 2}},
		{"second intent, nothing due", captured, func(s *confirmTest, _ *id.Intent) *id.Intent { return s.second(more) },
			outcome{method: Card, status: Captured, count: 1}},
		{"cash collected after the card", cash, func(s *confirmTest, promise *id.Intent) *id.Intent {
			if err := s.confirm(s.second(s.r.Total)); err != nil {
				s.t.Fatal(err)
			}
			s.collects(promise, s.r.Total)
			return promise
		}, outcome{method: Card, status: Captured, count: 2}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := set(t, db)
			intent := test.then(s, s.confirmed(test.first))
			for range 5 { // redeliveries change nothing
				if err := s.confirm(intent); err != nil && !errors.Is(err, ErrIllegalTransition) {
					t.Fatal(err)
				}
			}
			v, r := s.now().View(), s.now()
			got := outcome{r.Payment.kept() - price, v.Balance.Due, v.Payment.Method, v.Payment.Status, len(v.Payment.Intents)}
			if got != test.want {
				t.Errorf("got %+v, want %+v", got, test.want)
			}
			if got := published(t, s.db, s.r); !slices.Equal(got, []string{"held", "confirmed"}) {
				t.Errorf("published %v, want one confirmation", got)
			}
			s.adds()
		})
	}
}

// price is the price of aStored.
const price money.Micro = 410_000_000

// A late capture buys nothing once the reservation has ended without a stay.
func TestCollect_ended(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	ends := map[string]func(*Reservation) error{
		"cancelled": func(r *Reservation) error { return r.cancel(StaffCancelled, "", saga(), noon, nil) },
		"no-show": func(r *Reservation) error {
			_, err := r.Miss(MissWish{By: saga(), Manager: true, Waive: true}, r.noShowAt())
			return err
		},
	}
	for name, end := range ends {
		for method, late := range map[string]func(*confirmTest, *id.Intent) *id.Intent{
			"promised cash": func(s *confirmTest, i *id.Intent) *id.Intent { s.collects(i, s.r.Total); return i },
			"a second card": func(s *confirmTest, _ *id.Intent) *id.Intent { return s.second(s.r.Total) },
		} {
			t.Run(name+"/"+method, func(t *testing.T) {
				t.Parallel()
				s := set(t, db)
				promise := s.confirmed(cash)
				s.edit(func(r *Reservation) {
					if err := end(r); err != nil {
						t.Fatal(err)
					}
				})
				intent := late(s, promise)
				for range 3 {
					if err := s.confirm(intent); !errors.Is(err, ErrIllegalTransition) {
						t.Errorf("Confirm() = %v, want %v", err, ErrIllegalTransition)
					}
				}
				if got := s.fakePayments.intents[*intent].kept(); got != 0 {
					t.Errorf("the hotel keeps %d, want 0", got)
				}
				s.adds()
			})
		}
	}
}

// An attempt refunds the surplus and fails before it saves. Then another intent pays a part of what was due.
func TestCollect_afterUnsavedSurplus(t *testing.T) {
	t.Parallel()
	s := set(t, pgtest.New(t))
	s.confirmed(captured)
	s.dearer(100)
	intent, other := s.second(120), s.second(60)
	cut := errors.New("cut off")
	claim := Claim{Scope: access.Scope{Tenant: s.r.Tenant}, Reservation: s.r.ID, Intent: intent}
	if _, err := s.Confirm(t.Context(), claim, func(context.Context, func(postgres.Tx) error) error { return cut }); !errors.Is(err, cut) {
		t.Fatalf("got %v, want %v", err, cut)
	}
	for _, i := range []*id.Intent{other, intent, other, intent} {
		if err := s.confirm(i); err != nil {
			t.Fatal(err)
		}
	}
	if got := s.fakePayments.intents[*intent].kept(); got != 40 {
		t.Errorf("the second intent keeps %d, want 40", got)
	}
	if got := s.now().due(); got != 0 {
		t.Errorf("%d are due, want 0", got)
	}
	s.adds()
}

func TestCollect_concurrent(t *testing.T) {
	t.Parallel()
	round := 0
	inRounds(t, 100, func(s *confirmTest) {
		round++
		s.confirmed(captured)
		s.dearer(100)
		one, two := s.second(money.Micro(40+round%100)), s.second(80)
		pay := func(i *id.Intent) func() {
			return func() {
				if err := s.confirm(i); err != nil && !errors.Is(err, ErrIllegalTransition) {
					t.Error(err)
				}
			}
		}
		together(pay(one), pay(two), pay(one), pay(two))
		if got := s.now().due(); got != 0 {
			t.Errorf("%d are due, want 0", got)
		}
		if got := s.count("confirmed"); got != 1 {
			t.Errorf("published %d confirmations, want 1", got)
		}
		s.adds()
	})
}
