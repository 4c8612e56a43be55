package allocationcommitted

import (
	"errors"
	"strings"
	"testing"
	"time"

	"melmastoon.ghasi.io/functions/reservation/internal/booking"
	"melmastoon.ghasi.io/functions/reservation/reservationtest"
	timeline "melmastoon.ghasi.io/jobs/timeline/booking"
	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/testkit/pgtest"
)

func TestRecord(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	r := reservationtest.Held(t, db.Env(), id.New[id.Tenant](), id.New[id.Property]())
	handle, err := New(db.Env())
	if err != nil {
		t.Fatal(err)
	}
	e := event.Event[Taken]{Payload: Taken{r.ID, r.Hold.Allocations[0], r.Hold.ExpiresAt}, Delivery: reservationtest.Deliver(r, Function.Spec.Name)}
	for range 2 {
		if err := handle(t.Context(), e); err != nil {
			t.Fatal(err)
		}
	}
	if got := reservationtest.Now(t, db, r); got.Saga.Pending != booking.AwaitPayment || got.Version != r.Version {
		t.Errorf("it waits for %s, version %d", got.Saga.Pending, got.Version)
	}
	reservationtest.ExpectEvents(t, db, r, "held")
}

func TestRecord_beforeReservation(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name    string
		expires time.Duration // from now; 0: absent
		want    error
	}{
		{"before the expiry", time.Minute, booking.ErrNotFound},
		{"after the expiry", -time.Second, nil},
		{"no expiry", 0, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			db := pgtest.New(t)
			r := &booking.Reservation{Tenant: id.New[id.Tenant](), ID: id.New[id.Reservation]()}
			handle, err := New(db.Env())
			if err != nil {
				t.Fatal(err)
			}
			e := event.Event[Taken]{Payload: Taken{Reservation: r.ID, Allocation: id.New[id.Allocation]()}, Delivery: reservationtest.Deliver(r, Function.Spec.Name)}
			if test.expires != 0 {
				e.Payload.ExpiresAt = db.Env().Now().Add(test.expires)
			}
			err = handle(t.Context(), e)
			if !errors.Is(err, test.want) {
				t.Fatalf("got %v, want %v", err, test.want)
			}
			if err != nil && !strings.HasPrefix(errors.Unwrap(fault.From(err)).Error(), timeline.EarlyRetried) {
				t.Errorf("got %v, want a cause by which the console and timelines know that it is no failure", err)
			}
		})
	}
}
