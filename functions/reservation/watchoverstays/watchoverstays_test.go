package watchoverstays_test

import (
	"sync"
	"testing"
	"time"

	"melmastoon.ghasi.io/functions/reservation/internal/booking"
	"melmastoon.ghasi.io/functions/reservation/reservationtest"
	"melmastoon.ghasi.io/functions/reservation/watchoverstays"
)

func TestWatch(t *testing.T) {
	t.Parallel()
	d := reservationtest.OpenDesk(t, watchoverstays.Function)
	d.At(reservationtest.Arrival)
	d.CheckIn()
	events := []string{"held", "confirmed", "check_in_started", "checked_in"}
	for _, step := range []struct {
		name   string
		after  time.Duration // the midnight that ends the day of departure
		nights int           // in all
	}{
		{"after the check-out time", -11 * time.Hour, 0},
		{"before midnight", -time.Second, 0},
		{"after it", time.Second, 1},
		{"a quarter later", 15 * time.Minute, 1},
		{"before the next midnight", 24*time.Hour - time.Second, 1},
		{"after it", 24*time.Hour + time.Second, 2},
		{"after two midnights without a watch", 72*time.Hour + time.Second, 4},
	} {
		d.At(reservationtest.Departure.Add(13*time.Hour + step.after))
		var group sync.WaitGroup
		for range 2 { // concurrently, because the scheduler may call twice
			group.Go(func() {
				if a := d.Front.Tick(watchoverstays.Function); a.Status >= 300 {
					t.Errorf("%s: tick: %d %s", step.name, a.Status, a.Body)
				}
			})
		}
		group.Wait()
		want := events
		for range step.nights {
			want = append(want, "overstayed")
		}
		reservationtest.ExpectEvents(t, d.DB, d.R, want...)
	}
	if got := reservationtest.Now(t, d.DB, d.R).State; got != booking.CheckedIn {
		t.Errorf("state = %s, want %s", got, booking.CheckedIn)
	}
}
