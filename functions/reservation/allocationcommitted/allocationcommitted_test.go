package allocationcommitted

import (
	"errors"
	"sync"
	"testing"
	"time"

	"melmastoon.ghasi.io/functions/reservation/internal/booking"
	"melmastoon.ghasi.io/functions/reservation/reservationtest"
	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/postgres"
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
	e := event.Event[Taken]{Payload: Taken{r.ID, r.Allocations[0], r.ExpiresAt}, Delivery: reservationtest.Deliver(r, Function.Spec.Name)}
	for range 2 {
		if err := handle(t.Context(), e); err != nil {
			t.Fatal(err)
		}
	}
	if got := reservationtest.Now(t, db, r); got.Pending != booking.AwaitPayment || got.Version != r.Version {
		t.Errorf("it waits for %s, version %d", got.Pending, got.Version)
	}
	reservationtest.ExpectEvents(t, db, r, "held")
}

// The reservation is stored after the first look for it. The event is recorded in the same delivery.
func TestRecord_whileReservationIsStored(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	tenant := id.New[id.Tenant]()
	session := id.New[id.TenantSession]()
	r, err := reservationtest.Quote(t, db.Env(), tenant, id.New[id.Property]()).Reserve(booking.Details{
		Act: id.New[id.Request](), Session: &session, Channel: booking.Direct, CreatedBy: booking.Actor{Type: booking.Guest, ID: "gst_someone"}, TTL: reservationtest.TTL})
	if err != nil {
		t.Fatal(err)
	}
	if err := r.StartHold(booking.HoldResult{PlacedAt: db.Env().Now(), ExpiresAt: db.Env().Now().Add(reservationtest.TTL)}); err != nil {
		t.Fatal(err)
	}
	store := sync.OnceValue(func() error {
		return booking.OpenReservations(db.Env()).Book(t.Context(), booking.Principal{Scope: booking.Scope{Tenant: tenant}}, r, nil)
	})
	n := recorder{db: postgres.Open(db.Env(), booking.Schema), reservations: booking.OpenReservations(db.Env()), now: func() time.Time {
		if err := store(); err != nil { // the clock is read when the reservation was not found
			t.Error(err)
		}
		return db.Env().Now()
	}}
	if err := n.record(t.Context(), event.Event[Taken]{Payload: Taken{r.ID, r.Allocations[0], r.ExpiresAt}, Delivery: reservationtest.Deliver(r, Function.Spec.Name)}); err != nil {
		t.Fatal(err)
	}
	if got := reservationtest.Now(t, db, r); got.Pending != booking.AwaitPayment {
		t.Errorf("it waits for %s, want %s", got.Pending, booking.AwaitPayment)
	}
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
			if err := handle(t.Context(), e); !errors.Is(err, test.want) {
				t.Errorf("got %v, want %v", err, test.want)
			}
		})
	}
}
