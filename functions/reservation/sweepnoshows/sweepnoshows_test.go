package sweepnoshows_test

import (
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"melmastoon.ghasi.io/functions/reservation/cancel"
	"melmastoon.ghasi.io/functions/reservation/checkin"
	"melmastoon.ghasi.io/functions/reservation/internal/access"
	"melmastoon.ghasi.io/functions/reservation/internal/booking"
	"melmastoon.ghasi.io/functions/reservation/noshow"
	"melmastoon.ghasi.io/functions/reservation/reservationtest"
	"melmastoon.ghasi.io/functions/reservation/sweepnoshows"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/testkit/fntest"
	"melmastoon.ghasi.io/shared/testkit/pgtest"
	"melmastoon.ghasi.io/shared/testkit/upstreamtest"
)

// sweeps runs several ticks concurrently, because the scheduler may call twice.
func sweeps(t *testing.T, d *reservationtest.Desk, with ...func()) {
	t.Helper()
	var group sync.WaitGroup
	for range 2 {
		group.Go(func() { tick(t, d) })
	}
	for _, f := range with {
		group.Go(f)
	}
	group.Wait()
}

func tick(t *testing.T, d *reservationtest.Desk) {
	t.Helper()
	if a := d.Front.Tick(sweepnoshows.Function); a.Status >= 300 {
		t.Errorf("tick: %d %s", a.Status, a.Body)
	}
}

func TestSweep(t *testing.T) {
	t.Parallel()
	d := reservationtest.OpenDesk(t, sweepnoshows.Function)
	other := reservationtest.Held(t, d.DB.Env(), id.New[id.Tenant](), id.New[id.Property]())
	reservationtest.Confirm(t, d.DB, other)
	held := reservationtest.Held(t, d.DB.Env(), d.R.Tenant, id.New[id.Property]())
	d.At(reservationtest.NoShow.Add(-time.Second))
	sweeps(t, d)
	reservationtest.ExpectEvents(t, d.DB, d.R, "held", "confirmed")
	d.At(reservationtest.NoShow.Add(time.Second))
	sweeps(t, d)
	sweeps(t, d)
	for name, r := range map[string]*booking.Reservation{"first tenant": d.R, "another tenant": other} {
		t.Run(name, func(t *testing.T) {
			reservationtest.ExpectEvents(t, d.DB, r, "held", "confirmed", "no_show")
			now := reservationtest.Now(t, d.DB, r)
			if now.State != booking.NoShow {
				t.Errorf("state = %s, want %s", now.State, booking.NoShow)
			}
			if now.Missed.By.Type != access.System {
				t.Errorf("actor = %v, want the system", now.Missed.By)
			}
		})
	}
	reservationtest.ExpectEvents(t, d.DB, held, "held")
	if got := d.Services.Calls("intent"); got < 1 {
		t.Errorf("the payment service was asked %d times, want at least once", got)
	}
}

// The rooms of a group whose guests did not come are given up, also after an outage of inventory, whose release the watch repeats.
func TestSweep_rooms(t *testing.T) {
	t.Parallel()
	d := reservationtest.OpenDesk(t, sweepnoshows.Function, checkin.Function)
	d.Group()
	d.At(reservationtest.Arrival)
	d.Do(d.Staff("usr_desk", "front_desk"), "check-in",
		map[string]any{"rooms": []booking.AssignedRoom{{Item: d.R.Items[0].ID, Room: d.Rooms[0].ID}}}).Want(t, http.StatusOK)
	d.At(reservationtest.NoShow)
	d.Services.SetBehavior("reallocations", upstreamtest.Failing)
	sweeps(t, d)
	reservationtest.ExpectEvents(t, d.DB, d.R, "held", "confirmed", "check_in_started", "checked_in", "modified")
	now := reservationtest.Now(t, d.DB, d.R)
	if now.State != booking.CheckedIn || len(now.Items) != 1 || now.Saga.Pending != booking.AwaitRelease {
		t.Errorf("state %s, %d items, step %q, want a release to wait for", now.State, len(now.Items), now.Saga.Pending)
	}
	if now.Saga.Plan == nil || len(now.Saga.Plan.Releases) != 1 || now.Saga.Plan.Releases[0] != d.R.Hold.Allocations[1] {
		t.Errorf("plan %+v, want the release of %v", now.Saga.Plan, d.R.Hold.Allocations[1])
	}
}

func TestSweep_paymentAway(t *testing.T) {
	t.Parallel()
	d := reservationtest.OpenDesk(t, sweepnoshows.Function)
	d.At(reservationtest.NoShow)
	d.Services.SetBehavior("intent", upstreamtest.Failing)
	if a := d.Front.Tick(sweepnoshows.Function); a.Status < 500 {
		t.Errorf("tick without the payment service: %d, want an error", a.Status)
	}
	reservationtest.ExpectEvents(t, d.DB, d.R, "held", "confirmed")
	d.Services.SetBehavior("intent", upstreamtest.Working)
	d.At(d.DB.Env().Now().Add(15 * time.Minute))
	tick(t, d)
	reservationtest.ExpectEvents(t, d.DB, d.R, "held", "confirmed", "no_show")
}

// One act wins, and only its event is published.
func TestSweep_races(t *testing.T) {
	t.Parallel()
	body := map[string]any{}
	for _, test := range []struct {
		name  string
		at    time.Time
		act   func(*reservationtest.Desk) (string, any)
		other []string
	}{
		{"a check-in", reservationtest.NoShow, func(d *reservationtest.Desk) (string, any) {
			return "check-in", map[string]any{"rooms": []booking.AssignedRoom{{Item: d.R.Items[0].ID, Room: d.Rooms[0].ID}}}
		}, []string{"held", "confirmed", "check_in_started", "checked_in"}},
		{"a no-show at the desk", reservationtest.NoShow, func(*reservationtest.Desk) (string, any) { return "no-show", body }, []string{"held", "confirmed", "no_show"}},
		{"a cancellation", reservationtest.NoShow.Add(-time.Millisecond), func(*reservationtest.Desk) (string, any) {
			return "cancel", map[string]any{"reasonCode": "guest_cancelled"}
		}, []string{"held", "confirmed", "cancelled"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			for range 5 {
				d := reservationtest.OpenDesk(t, sweepnoshows.Function, checkin.Function, noshow.Function, cancel.Function)
				d.At(test.at)
				desk := d.Staff("usr_desk", "front_desk")
				act, body := test.act(d)
				var answer fntest.Answer
				sweeps(t, d, func() { answer = d.Do(desk, act, body) })
				want := test.other
				if answer.Status >= 300 {
					want = []string{"held", "confirmed", "no_show"}
					if got := answer.Code(); got != "MELMASTOON.RESERVATION.ILLEGAL_TRANSITION" && got != "RESERVATION.ILLEGAL_TRANSITION" {
						t.Errorf("the loser's answer: %d %s", answer.Status, got)
					}
				}
				tick(t, d)
				reservationtest.ExpectEvents(t, d.DB, d.R, want...)
			}
		})
	}
}

func TestSweep_listsByMaintenance(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	s := booking.OpenReservations(db.Env())
	var all []booking.Candidate
	for range 3 {
		r := reservationtest.Held(t, db.Env(), id.New[id.Tenant](), id.New[id.Property]())
		reservationtest.Confirm(t, db, r)
		all = append(all, booking.Candidate{Tenant: r.Tenant, Reservation: r.ID, On: r.Stay.Start})
	}
	early := reservationtest.Arrival.UTC().Truncate(24*time.Hour).AddDate(0, 0, 1).Add(-14 * time.Hour) // midnight at UTC+14
	db.Advance(early.Add(-time.Minute).Sub(db.Env().Now()))
	if got, err := s.Awaited(t.Context(), booking.Candidate{}, 10); err != nil || len(got) != 0 {
		t.Errorf("before the arrival day has ended anywhere: %v, %v", got, err)
	}
	db.Advance(early.Add(time.Second).Sub(db.Env().Now()))
	first, err := s.Awaited(t.Context(), booking.Candidate{}, 2)
	if err != nil || len(first) != 2 {
		t.Fatalf("first page = %v, %v, want 2", first, err)
	}
	rest, err := s.Awaited(t.Context(), first[1], 2)
	if err != nil || len(rest) != 1 {
		t.Fatalf("second page = %v, %v, want 1", rest, err)
	}
	for _, c := range append(first, rest...) {
		if !slices.Contains(all, c) {
			t.Errorf("%v is no candidate", c)
		}
	}
}
