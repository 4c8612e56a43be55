package allocationfailed

import (
	"errors"
	"testing"

	"melmastoon.ghasi.io/functions/reservation"
	"melmastoon.ghasi.io/functions/reservation/reservationtest"
	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/testkit/pgtest"
)

func TestCancel_lostAllocation(t *testing.T) {
	t.Parallel()
	itself := func(r *reservation.Reservation) Failed { return Failed{r.ID, r.Allocations[0]} }
	nothing := func(testing.TB, *pgtest.Database, *reservation.Reservation) {}
	for _, test := range []struct {
		name  string
		given func(testing.TB, *pgtest.Database, *reservation.Reservation)
		lost  func(*reservation.Reservation) Failed
		state reservation.State
		told  []string
	}{
		{"ends the hold that stood on it", nothing, itself, reservation.Cancelled, []string{"held", "cancelled"}},
		{"does not touch a hold on other rooms", nothing, func(r *reservation.Reservation) Failed {
			return Failed{r.ID, id.New[id.Allocation]()}
		}, reservation.Held, []string{"held"}},
		{"of other rooms than the confirmed ones is nothing", reservationtest.Confirm, func(r *reservation.Reservation) Failed {
			return Failed{r.ID, id.New[id.Allocation]()}
		}, reservation.Confirmed, []string{"held", "confirmed"}},
		{"does not touch a hold that is over", func(_ testing.TB, db *pgtest.Database, _ *reservation.Reservation) {
			db.Advance(reservationtest.TTL)
		}, itself, reservation.ExpiredHold, []string{"held"}},
		{"of a hold that was refused is nobody's", nothing, func(r *reservation.Reservation) Failed {
			return Failed{id.New[id.Reservation](), r.Allocations[0]}
		}, reservation.Held, []string{"held"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			db := pgtest.New(t)
			r := reservationtest.Held(t, db.Env(), id.New[id.Tenant](), id.New[id.Property]())
			test.given(t, db, r)
			handle, err := New(db.Env())
			if err != nil {
				t.Fatal(err)
			}
			e := event.Event[Failed]{Payload: test.lost(r), Delivery: reservationtest.Deliver(r, Function.Spec.Name)}
			for range 2 {
				if err := handle(t.Context(), e); err != nil {
					t.Fatal(err)
				}
			}
			if got := reservationtest.Now(t, db, r); got.EffectiveState() != test.state || got.State == reservation.Cancelled && got.Cancellation.Code != reservation.InventoryFailed {
				t.Errorf("state is %s, want %s", got.EffectiveState(), test.state)
			} else if got.State == reservation.Cancelled && (got.Cancellation.Cause == nil || *got.Cancellation.Cause != e.Delivery.EventID) {
				t.Errorf("cancelled because of %v, want %s", got.Cancellation.Cause, e.Delivery.EventID)
			}
			reservationtest.Told(t, db, r, test.told...)
		})
	}
}

func TestAllocationFailed_confirmed(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	r := reservationtest.Held(t, db.Env(), id.New[id.Tenant](), id.New[id.Property]())
	reservationtest.Confirm(t, db, r)
	handle, err := New(db.Env())
	if err != nil {
		t.Fatal(err)
	}
	e := event.Event[Failed]{Payload: Failed{r.ID, r.Allocations[0]}, Delivery: reservationtest.Deliver(r, Function.Spec.Name)}
	for range 2 {
		if err := handle(t.Context(), e); !errors.Is(err, errRoomLost) {
			t.Errorf("handle() = %v, want a dead letter: %v", err, errRoomLost)
		}
	}
	if got := reservationtest.Now(t, db, r).State; got != reservation.Confirmed {
		t.Errorf("state is %s, want %s", got, reservation.Confirmed)
	}
	reservationtest.Told(t, db, r, "held", "confirmed")
}
