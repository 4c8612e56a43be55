package expireholds

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"melmastoon.ghasi.io/functions/reservation/internal/booking"
	"melmastoon.ghasi.io/functions/reservation/reservationtest"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/testkit/pgtest"
)

func TestExpire_publishesOnce(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	e := db.Env()
	tenants := []id.Tenant{id.New[id.Tenant](), id.New[id.Tenant]()}
	var over []*booking.Reservation
	for i := range 6 {
		over = append(over, reservationtest.Held(t, e, tenants[i%2], id.New[id.Property]()))
	}
	confirmed := reservationtest.Held(t, e, tenants[0], id.New[id.Property]())
	reservationtest.Confirm(t, db, confirmed)
	db.Advance(reservationtest.TTL)
	live := reservationtest.Held(t, e, tenants[0], id.New[id.Property]())

	sweep, err := New(e)
	if err != nil {
		t.Fatal(err)
	}
	var group sync.WaitGroup
	for range 3 { // concurrently, because the scheduler may call twice
		group.Go(func() {
			if err := sweep(t.Context(), e.Now()); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	for _, r := range over {
		reservationtest.ExpectEvents(t, db, r, "held", "hold_expired")
		if r = reservationtest.Now(t, db, r); r.State != booking.ExpiredHold || r.Hold.Outcome != booking.Expired {
			t.Errorf("%s is %s, its hold %s", r.ID, r.State, r.Hold.Outcome)
		}
	}
	reservationtest.ExpectEvents(t, db, confirmed, "held", "confirmed")
	reservationtest.ExpectEvents(t, db, live, "held")
}

// More holds are due than one batch contains, and the first of them cannot be closed.
func TestExpire_failureBlocksNoOther(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	e := db.Env()
	tenant := id.New[id.Tenant]()
	hold := func() *booking.Reservation { return reservationtest.Held(t, e, tenant, id.New[id.Property]()) }
	sweep, err := New(e)
	if err != nil {
		t.Fatal(err)
	}
	stuck := hold()
	db.Advance(time.Second)
	for range 200 {
		hold()
	}
	owner := db.Owner(t)
	if _, err := owner.Exec(t.Context(), fmt.Sprintf(`ALTER TABLE reservation.holds
		ADD CONSTRAINT stuck CHECK (status <> 'expired' OR reservation_id <> '%x')`, stuck.ID[:])); err != nil {
		t.Fatal(err)
	}
	for _, when := range []string{"at first", "a while later"} {
		t.Run(when, func(t *testing.T) {
			db.Advance(reservationtest.TTL + time.Minute)
			if err := sweep(t.Context(), e.Now()); err == nil {
				t.Errorf("%s: no error for the hold that cannot be closed", when)
			}
			if due := due(t, e); len(due) != 1 || due[0].Reservation != stuck.ID {
				t.Errorf("%s %d are due, want only %s", when, len(due), stuck.ID)
			}
			hold()
		})
	}
	if _, err := owner.Exec(t.Context(), `ALTER TABLE reservation.holds DROP CONSTRAINT stuck`); err != nil {
		t.Fatal(err)
	}
	db.Advance(reservationtest.TTL + time.Minute)
	if err := sweep(t.Context(), e.Now()); err != nil || len(due(t, e)) != 0 {
		t.Errorf("at last: %v", err)
	}
}

func due(t *testing.T, e env.Env) []booking.Due {
	t.Helper()
	due, err := booking.OpenReservations(e).Due(t.Context(), booking.Due{}, 1000)
	if err != nil {
		t.Fatal(err)
	}
	return due
}
