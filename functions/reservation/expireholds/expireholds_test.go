package expireholds

import (
	"sync"
	"testing"
	"time"

	"melmastoon.ghasi.io/functions/reservation"
	"melmastoon.ghasi.io/functions/reservation/reservationtest"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/pgtest"
)

func TestTheSweepTellsOnceOfEachHoldThatIsOver(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	e := db.Env()
	tenants := []id.Tenant{id.New[id.Tenant](), id.New[id.Tenant]()}
	var over []*reservation.Reservation
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
	for range 3 { // at the same time, for the scheduler may tick twice
		group.Go(func() {
			if err := sweep(t.Context(), e.Now()); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	for _, r := range over {
		reservationtest.Told(t, db, r, "held", "hold_expired")
		if r = reservationtest.Now(t, db, r); r.State != reservation.ExpiredHold || r.Outcome != reservation.Expired {
			t.Errorf("%s is %s, its hold %s", r.ID, r.State, r.Outcome)
		}
	}
	reservationtest.Told(t, db, confirmed, "held", "confirmed")
	reservationtest.Told(t, db, live, "held")
}

func TestABacklogIsSweptInOneRun(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	e := db.Env()
	tenant := id.New[id.Tenant]()
	for range batch + 1 {
		reservationtest.Held(t, e, tenant, id.New[id.Property]())
	}
	db.Advance(reservationtest.TTL + time.Minute)
	sweep, err := New(e)
	if err != nil {
		t.Fatal(err)
	}
	if err := sweep(t.Context(), e.Now()); err != nil {
		t.Fatal(err)
	}
	if due, err := reservation.OpenReservations(e).Due(t.Context(), 1); err != nil || len(due) != 0 {
		t.Errorf("left %v, %v", due, err)
	}
}
