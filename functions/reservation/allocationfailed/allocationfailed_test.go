package allocationfailed

import (
	"testing"

	"melmastoon.ghasi.io/functions/reservation/internal/access"
	"melmastoon.ghasi.io/functions/reservation/internal/booking"
	"melmastoon.ghasi.io/functions/reservation/reservationtest"
	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/testkit/pgtest"
)

func TestCancel_lostAllocation(t *testing.T) {
	t.Parallel()
	itself := func(r *booking.Reservation) Failed { return Failed{r.ID, r.Hold.Allocations[0]} }
	nothing := func(testing.TB, *pgtest.Database, *booking.Reservation) {}
	for _, test := range []struct {
		name   string
		given  func(testing.TB, *pgtest.Database, *booking.Reservation)
		lost   func(*booking.Reservation) Failed
		state  booking.State
		events []string
	}{
		{"ends the hold that stood on it", nothing, itself, booking.Cancelled, []string{"held", "cancelled"}},
		{"does not touch a hold on other rooms", nothing, func(r *booking.Reservation) Failed {
			return Failed{r.ID, id.New[id.Allocation]()}
		}, booking.Held, []string{"held"}},
		{"another allocation than the confirmed one", reservationtest.Confirm, func(r *booking.Reservation) Failed {
			return Failed{r.ID, id.New[id.Allocation]()}
		}, booking.Confirmed, []string{"held", "confirmed"}},
		{"expired hold", func(_ testing.TB, db *pgtest.Database, _ *booking.Reservation) {
			db.Advance(reservationtest.TTL)
		}, itself, booking.ExpiredHold, []string{"held"}},
		{"unknown reservation", nothing, func(r *booking.Reservation) Failed {
			return Failed{id.New[id.Reservation](), r.Hold.Allocations[0]}
		}, booking.Held, []string{"held"}},
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
			if got := reservationtest.Now(t, db, r); got.EffectiveState() != test.state || got.State == booking.Cancelled && got.Cancellation.Code != booking.InventoryFailed {
				t.Errorf("state is %s, want %s", got.EffectiveState(), test.state)
			} else if got.State == booking.Cancelled && (got.Cancellation.Cause == nil || *got.Cancellation.Cause != e.Delivery.EventID) {
				t.Errorf("cancelled because of %v, want %s", got.Cancellation.Cause, e.Delivery.EventID)
			}
			reservationtest.ExpectEvents(t, db, r, test.events...)
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
	e := event.Event[Failed]{Payload: Failed{r.ID, r.Hold.Allocations[0]}, Delivery: reservationtest.Deliver(r, Function.Spec.Name)}
	for range 2 {
		if err := handle(t.Context(), e); err != nil {
			t.Errorf("handle() = %v", err)
		}
	}
	if got := reservationtest.Now(t, db, r); got.State != booking.Confirmed || got.LostAt == nil {
		t.Errorf("state is %s, lost at %v; want %s and a time", got.State, got.LostAt, booking.Confirmed)
	}
	_, concerns, err := booking.OpenReservations(db.Env()).Attention(t.Context(), access.Scope{Tenant: r.Tenant}, r.Property, booking.Page{Limit: 10})
	if err != nil {
		t.Fatal(err)
	}
	if len(concerns) != 1 || concerns[0].Reason != booking.ConcernRoom {
		t.Errorf("attention = %v, want %s", concerns, booking.ConcernRoom)
	}
	reservationtest.ExpectEvents(t, db, r, "held", "confirmed")
}
