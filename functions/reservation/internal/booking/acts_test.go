package booking

import (
	"maps"
	"reflect"
	"slices"
	"testing"

	"melmastoon.ghasi.io/functions/reservation/internal/access"
	"melmastoon.ghasi.io/shared/id"
)

// samples returns a reservation in each stored state.
func samples(t testing.TB) map[State]*Reservation {
	t.Helper()
	expired := anExpired(t)
	if err := expired.Expire(); err != nil {
		t.Fatal(err)
	}
	all := map[State]*Reservation{}
	for _, r := range []*Reservation{
		aHeld(t), expired, confirmedOne(t), aCheckInStarted(t), checkedInOne(t), checkoutStartedOne(t), checkedOutOne(t), missedOne(t), cancelledOne(t),
	} {
		all[r.State] = r
	}
	return all
}

// Each act is tried at a time and by a person that allow it, so that the state alone decides. A state that is not listed
// rejects the act, and the reservation does not change.
func TestActs_states(t *testing.T) {
	t.Parallel()
	desk, boss := access.Actor{Type: access.Staff, ID: "usr_desk"}, access.Actor{Type: access.Staff, ID: "usr_boss"}
	leave := func(f *Folio) func(*Reservation) error {
		return func(r *Reservation) error {
			_, err := r.Leave(LeaveWish{By: desk, Folio: f}, departure)
			return err
		}
	}
	key := func(k func(*Reservation) Key) func(*Reservation) error {
		return func(r *Reservation) error {
			_, err := r.SetKey(k(r))
			return err
		}
	}
	const same = State("unchanged") // accepted without a change
	for _, act := range []struct {
		name string
		do   func(*Reservation) error
		to   map[State]State // absent: rejected
	}{
		{"check-in", func(r *Reservation) error {
			of, rooms := roomsFor(r)
			_, err := r.StartCheckIn(rooms, of, desk, arrival)
			return err
		}, map[State]State{Confirmed: CheckInStarted}},
		{"check-in with the same rooms", func(r *Reservation) error {
			_, err := r.StartCheckIn(r.Rooms(), nil, desk, arrival)
			return err
		}, map[State]State{CheckInStarted: same, CheckedIn: same}},
		{"start of the check-out", leave(nil), map[State]State{CheckedIn: CheckoutStarted, CheckoutStarted: same}},
		{"check-out", leave(aFolio()), map[State]State{CheckedIn: CheckedOut, CheckoutStarted: CheckedOut, CheckedOut: same}},
		{"no-show", func(r *Reservation) error {
			_, err := r.Miss(MissWish{By: boss, Manager: true}, r.noShowAt())
			return err
		}, map[State]State{Confirmed: NoShow}},
		{"no-show by the sweep", func(r *Reservation) error {
			_, err := r.Miss(MissBySweep(), r.noShowAt())
			return err
		}, map[State]State{Confirmed: NoShow, NoShow: same}},
		{"overstay", func(r *Reservation) error {
			if !r.Overstay(departure.AddDate(0, 0, 1)) {
				return ErrIllegalTransition
			}
			return nil
		}, map[State]State{CheckedIn: CheckedIn, CheckoutStarted: CheckoutStarted}},
		{"key issued on its own", key(own(KeyIssued)), map[State]State{
			Confirmed: Confirmed, CheckInStarted: CheckInStarted, CheckedIn: CheckedIn, CheckoutStarted: CheckoutStarted,
		}},
		{"key failed on its own", key(own(KeyFailed)), map[State]State{
			Held: same, ExpiredHold: same, Confirmed: same, CheckInStarted: same, CheckedIn: same, CheckoutStarted: same, CheckedOut: same,
			NoShow: same, Cancelled: same,
		}},
		{"special request", func(r *Reservation) error {
			_, err := r.Ask(aRequest())
			return err
		}, map[State]State{Held: Held, Confirmed: Confirmed, CheckInStarted: CheckInStarted, CheckedIn: CheckedIn, CheckoutStarted: CheckoutStarted}},
		{"cancellation", func(r *Reservation) error {
			return r.CancelOnWish(CancelWish{Code: GuestCancelled, By: desk}, noon)
		}, map[State]State{Held: Cancelled, Confirmed: Cancelled}},
		{"cancellation of a hold", func(r *Reservation) error {
			return r.CancelOnWish(CancelWish{Code: GuestCancelled, By: desk, OnlyHeld: true}, noon)
		}, map[State]State{Held: Cancelled, ExpiredHold: Cancelled}},
		{"confirmation", func(r *Reservation) error {
			return r.Confirm(aCapture(r), r.Hold, noon)
		}, map[State]State{Held: Confirmed, ExpiredHold: Confirmed}},
	} {
		t.Run(act.name, func(t *testing.T) {
			t.Parallel()
			for from, r := range samples(t) {
				before := *r
				err := act.do(r)
				to, allowed := act.to[from]
				if (err == nil) != allowed {
					t.Errorf("%s: error = %v, want it allowed: %v", from, err, allowed)
				}
				unchanged := reflect.DeepEqual(*r, before)
				if (!allowed || to == same) && !unchanged {
					t.Errorf("%s: the reservation has changed", from)
				}
				if allowed && to != same && (unchanged || r.State != to) {
					t.Errorf("%s: state = %s, want %s", from, r.State, to)
				}
			}
		})
	}
	if got := len(samples(t)); got != len(all)-1 { // quoted is never stored
		t.Errorf("%d states are tested, want %d: %v", got, len(all)-1, slices.Sorted(maps.Keys(samples(t))))
	}
}

// A change in progress decides about rooms, nights and price first.
func TestActs_changeInProgress(t *testing.T) {
	t.Parallel()
	for name, act := range map[string]func(*Reservation) error{
		"check-in": func(r *Reservation) error {
			of, rooms := roomsFor(r)
			_, err := r.StartCheckIn(rooms, of, saga(), arrival)
			return err
		},
		"check-out": func(r *Reservation) error {
			_, err := r.Leave(LeaveWish{Folio: aFolio()}, departure)
			return err
		},
		"no-show": func(r *Reservation) error {
			_, err := r.Miss(MissBySweep(), r.noShowAt())
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			for from, r := range samples(t) {
				r.await(AwaitReallocation, noon)
				r.Saga.Plan = &Plan{Modification: Modification{ID: id.New[id.Modification]()}}
				before := *r
				err := act(r)
				repeated := from == CheckedOut && name == "check-out" || from == NoShow && name == "no-show"
				if err == nil && !repeated {
					t.Errorf("%s from %s with a change in progress: no error", name, from)
				}
				if !reflect.DeepEqual(*r, before) {
					t.Errorf("%s from %s with a change in progress: the reservation has changed", name, from)
				}
			}
		})
	}
}
