package booking

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"melmastoon.ghasi.io/functions/reservation/internal/access"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/postgres"
	"melmastoon.ghasi.io/shared/stay"
	"melmastoon.ghasi.io/shared/testkit/pgtest"
	"melmastoon.ghasi.io/test/seedrand"
)

// inRounds runs rounds, and ten times as many in a full run, of concurrent acts on a held reservation.
func inRounds(t *testing.T, rounds int, round func(*confirmTest)) {
	t.Helper()
	db := pgtest.New(t)
	owner := db.Owner(t)
	for range seedrand.Iterations(t, rounds, 10*rounds) {
		s := set(t, db)
		s.owner = owner
		round(s)
	}
}

// together runs all acts concurrently and waits for them.
func together(acts ...func()) {
	var group sync.WaitGroup
	start := make(chan struct{})
	for _, act := range acts {
		group.Go(func() { <-start; act() })
	}
	close(start)
	group.Wait()
}

// sweep expires the reservation if it is due, like the scheduled function.
func (s *confirmTest) sweep() {
	err := s.reservations.In(s.t.Context(), s.r.Tenant, func(tx postgres.Tx) error {
		r, err := s.reservations.Lock(s.t.Context(), tx, access.Scope{Tenant: s.r.Tenant}, s.r.ID)
		if err != nil || r.Expire() != nil {
			return err
		}
		return s.reservations.Save(s.t.Context(), tx, r, HoldRanOut(r))
	})
	if err != nil {
		s.t.Error(err)
	}
}

// nearlyOver sets the expiry of the hold so that it falls into the race.
func (s *confirmTest) nearlyOver() {
	s.t.Helper()
	_, err := s.owner.Exec(s.t.Context(),
		`UPDATE reservation.holds SET expires_at = platform.now() + interval '2 ms', placed_at = placed_at - interval '1 s' WHERE hold_id = $1`, s.r.Hold.ID)
	if err != nil {
		s.t.Fatal(err)
	}
	for _, a := range s.r.Hold.Allocations {
		s.fakeInventory.taken[a].expires = s.fakeInventory.now().Add(2 * time.Millisecond)
	}
}

// publishedSubjects returns the subjects of the events of the reservation.
func (s *confirmTest) publishedSubjects() []string {
	s.t.Helper()
	if s.owner == nil {
		s.owner = s.db.Owner(s.t)
	}
	return subjects(s.t, s.owner, s.r)
}

func (s *confirmTest) count(subject string) (n int) {
	for _, name := range s.publishedSubjects() {
		if name == subject {
			n++
		}
	}
	return n
}

func TestConfirm_concurrent(t *testing.T) {
	t.Parallel()
	inRounds(t, 25, func(s *confirmTest) {
		intent := captured(s)
		confirm := func() {
			if err := s.confirm(intent); err != nil {
				t.Error(err)
			}
		}
		together(confirm, confirm, confirm, confirm)
		if got := s.publishedSubjects(); !slices.Equal(got, []string{"held", "confirmed"}) {
			t.Errorf("published %v", got)
		}
		s.balances(true)
	})
}

func TestExpire_duringCapture(t *testing.T) {
	t.Parallel()
	inRounds(t, 100, func(s *confirmTest) {
		intent := captured(s)
		s.nearlyOver()
		confirm := func() {
			if err := s.confirm(intent); err != nil {
				t.Error(err)
			}
		}
		together(s.sweep, confirm, s.sweep, confirm, s.sweep)
		if s.now().State != Confirmed {
			t.Errorf("s.now().State = %v, want %v", s.now().State, Confirmed)
		}
		if s.count("confirmed") != 1 {
			t.Errorf(`s.count("confirmed") = %v, want 1`, s.count("confirmed"))
		}
		if s.count("hold_expired") > 1 {
			t.Errorf("state %s, published %v", s.now().State, s.publishedSubjects())
		}
		if s.count("cancelled") != 0 {
			t.Errorf(`s.count("cancelled") = %v, want 0`, s.count("cancelled"))
		}
		s.balances(true)
	})
}

func TestExpire_duringCaptureAndOtherGuest(t *testing.T) {
	t.Parallel()
	inRounds(t, 100, func(s *confirmTest) {
		intent := captured(s)
		s.nearlyOver()
		confirm := func() {
			if err := s.confirm(intent); err != nil && !errors.Is(err, ErrOverbooked) && !errors.Is(err, ErrIllegalTransition) {
				t.Error(err)
			}
		}
		other := *s.r
		other.Hold = other.wanted(id.New[id.Request](), "hold", stay.MaxHold)
		took := false
		rival := func() {
			_, err := s.fakeInventory.Hold(t.Context(), &other, other.Hold)
			took = err == nil
		}
		together(s.sweep, confirm, rival, confirm)
		if ended := s.count("confirmed") + s.count("cancelled"); ended != 1 || took == (s.now().State == Confirmed) {
			t.Errorf("rival got rooms: %v; state %s, published %v", took, s.now().State, s.publishedSubjects())
		}
		s.balances(true)
	})
}

func TestFail_duringCapture(t *testing.T) {
	t.Parallel()
	inRounds(t, 100, func(s *confirmTest) {
		intent := s.pays(aCapture(s.r))
		fail := func() {
			err := s.reservations.In(t.Context(), s.r.Tenant, func(tx postgres.Tx) error {
				r, err := s.reservations.Lock(t.Context(), tx, access.Scope{Tenant: s.r.Tenant}, s.r.ID)
				if err != nil || r.CancelUnpaid(noon) != nil {
					return err
				}
				return s.reservations.Save(t.Context(), tx, r, ReservationCancelled(r))
			})
			if err != nil {
				t.Error(err)
			}
		}
		confirm := func() {
			if err := s.confirm(&intent.ID); err != nil && !errors.Is(err, ErrIllegalTransition) {
				t.Error(err)
			}
		}
		together(fail, confirm)
		state := s.now().State
		if kept := s.fakePayments.kept(intent) > 0; kept != (state == Confirmed) || s.count("confirmed")+s.count("cancelled") != 1 {
			t.Errorf("state %s, money kept %v, published %v", state, kept, s.publishedSubjects())
		}
	})
}

func TestPayments_concurrent(t *testing.T) {
	t.Parallel()
	inRounds(t, 25, func(s *confirmTest) {
		one, two := s.pays(aCapture(s.r)), s.pays(aCapture(s.r))
		pay := func(i Intent) func() {
			return func() {
				if err := s.confirm(&i.ID); err != nil && !errors.Is(err, ErrIllegalTransition) {
					t.Error(err)
				}
			}
		}
		together(pay(one), pay(two))
		if s.count("confirmed") != 1 || (s.fakePayments.kept(one) > 0) == (s.fakePayments.kept(two) > 0) {
			t.Errorf("published %v, kept %d and %d", s.publishedSubjects(), s.fakePayments.kept(one), s.fakePayments.kept(two))
		}
		s.balances(true)
	})
}

// Two payments that both hold lost rooms again use different ids. The losing one must leave no allocation.
func TestPayments_concurrentForLostRooms(t *testing.T) {
	t.Parallel()
	inRounds(t, 25, func(s *confirmTest) {
		one, two := s.pays(aCapture(s.r)), s.pays(aCapture(s.r))
		s.lose()
		pay := func(i Intent) func() {
			return func() {
				err := s.confirm(&i.ID)
				// ErrNotCaptured: the other payment lost and was refunded between two reads of this one.
				if err != nil && !errors.Is(err, ErrIllegalTransition) && !errors.Is(err, ErrOverbooked) && !errors.Is(err, ErrNotCaptured) {
					t.Error(err)
				}
			}
		}
		together(pay(one), pay(two), pay(one), pay(two))
		r := s.now()
		if s.count("confirmed")+s.count("cancelled") != 1 {
			t.Errorf("published %v", s.publishedSubjects())
		}
		if let := s.fakeInventory.let(r); (r.State == Confirmed && let != len(r.Items)) || (r.State == Cancelled && let != 0) {
			t.Errorf("state %s, %d rooms allocated", r.State, let)
		}
		s.balances(s.fakePayments.kept(one) > 0 || s.fakePayments.kept(two) > 0)
	})
}

// The first attempt has committed the rooms in time and is about to save. A second one begins after the hold would have
// expired and never saves.
func TestConfirm_lateAttemptKeepsRooms(t *testing.T) {
	t.Parallel()
	s := set(t, pgtest.New(t))
	claim := Claim{Scope: access.Scope{Tenant: s.r.Tenant}, Reservation: s.r.ID, Intent: captured(s)}
	cut := errors.New("cut off")
	late := func() {
		s.db.Advance(10 * time.Minute)
		if _, err := s.Confirm(t.Context(), claim, func(context.Context, func(postgres.Tx) error) error { return cut }); !errors.Is(err, cut) {
			t.Errorf("the late attempt: %v", err)
		}
	}
	_, err := s.Confirm(t.Context(), claim, func(ctx context.Context, f func(postgres.Tx) error) error {
		late()
		return s.reservations.In(ctx, s.r.Tenant, f)
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range s.now().Hold.Allocations {
		room := s.fakeInventory.taken[a]
		if room == nil {
			t.Fatal("confirmed without its room: room = nil")
		}
		if !room.committed {
			t.Error("confirmed without its room: room.committed = false, want true")
		}
		if room.released {
			t.Error("confirmed without its room: room.released = true, want false")
		}
	}
	s.balances(true)
}
