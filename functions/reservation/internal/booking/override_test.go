package booking

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"melmastoon.ghasi.io/functions/reservation/internal/access"
	"melmastoon.ghasi.io/shared/id"
)

// A guest who left too early by mistake gets the remaining nights again; the refund that was requested is due again.
func TestOverride_earlyDeparture(t *testing.T) {
	t.Parallel()
	c := openDeskTest(t)
	c.now = arrival
	c.checkIn()
	r := c.stored()
	c.now = arrival.Add(20 * time.Hour) // the second night is unslept
	events, err := r.Leave(LeaveWish{By: access.Actor{Type: access.Staff, ID: "usr_desk"}, Folio: aFolio()}, c.now)
	if err != nil {
		t.Fatal(err)
	}
	given := slices.Clone(r.Hold.Allocations)
	if err := save(t, c.changer.reservations, r, events...); err != nil {
		t.Fatal(err)
	}
	if err := c.fakeInventory.Release(t.Context(), r, given); err != nil {
		t.Fatal(err)
	}
	act := id.New[id.Request]()
	if _, _, err := c.changer.Change(t.Context(), c.call(act), c.changer.Override(act, CheckedIn, "the wrong guest")); err != nil {
		t.Fatal(err)
	}
	r = c.stored()
	if r.State != CheckedIn {
		t.Errorf("state = %s, want %s", r.State, CheckedIn)
	}
	if r.Hold.Outcome != Committed {
		t.Errorf("outcome of the hold = %s, want %s", r.Hold.Outcome, Committed)
	}
	if slices.ContainsFunc(r.Hold.Allocations, func(a id.Allocation) bool { return slices.Contains(given, a) }) {
		t.Errorf("allocations = %v, want none of the released %v", r.Hold.Allocations, given)
	}
	if r.CheckOut != nil {
		t.Errorf("check-out = %v, want nil", r.CheckOut)
	}
	if got, want := r.due(), r.Payment.Requested[0].Amount; got != want {
		t.Errorf("due = %d, want the refund of %d", got, want)
	}
}

// overridden returns a confirmed booking of four nights at a property in the zone, after the state was reached and then overridden.
func overridden(t *testing.T, zone, start string, reach func(*Reservation), to State, now time.Time) (*Reservation, error) {
	t.Helper()
	r := confirmedOne(t)
	r.Local.TimeZone, r.Stay.Start = zone, night(t, start)
	r.Stay.End = r.Stay.Start.AddDays(4)
	reach(r)
	p, err := r.override(id.New[id.Request](), to, "typed wrong", now)
	if err != nil {
		return r, err
	}
	if err := r.apply(p, now); err != nil {
		t.Fatal(err)
	}
	return r, nil
}

// The sweep spares a reinstated guest until six hours after the next midnight at the property, also if the clocks change in between. The
// no-show can be undone until the check-out time of the day of departure.
func TestOverride_missedGuest(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		zone, start string
		missed      time.Time // six hours after the arrival day has ended
		midnight    time.Time // the next one
		next        time.Time // the one after that
		end         time.Time // the day of departure begins
	}{
		{"Asia/Kabul", "2037-12-01", time.Date(2037, 12, 2, 1, 30, 0, 0, time.UTC), time.Date(2037, 12, 2, 19, 30, 0, 0, time.UTC), time.Date(2037, 12, 3, 19, 30, 0, 0, time.UTC), time.Date(2037, 12, 4, 19, 30, 0, 0, time.UTC)},
		{"Asia/Tehran", "2037-12-01", time.Date(2037, 12, 2, 2, 30, 0, 0, time.UTC), time.Date(2037, 12, 2, 20, 30, 0, 0, time.UTC), time.Date(2037, 12, 3, 20, 30, 0, 0, time.UTC), time.Date(2037, 12, 4, 20, 30, 0, 0, time.UTC)},
		// The clocks go forward on 14 March, and back on 1 November.
		{"America/New_York", "2038-03-12", time.Date(2038, 3, 13, 11, 0, 0, 0, time.UTC), time.Date(2038, 3, 14, 5, 0, 0, 0, time.UTC), time.Date(2038, 3, 15, 4, 0, 0, 0, time.UTC), time.Date(2038, 3, 16, 4, 0, 0, 0, time.UTC)},
		{"America/New_York", "2038-03-13", time.Date(2038, 3, 14, 11, 0, 0, 0, time.UTC), time.Date(2038, 3, 15, 4, 0, 0, 0, time.UTC), time.Date(2038, 3, 16, 4, 0, 0, 0, time.UTC), time.Date(2038, 3, 17, 4, 0, 0, 0, time.UTC)},
		{"America/New_York", "2037-10-31", time.Date(2037, 11, 1, 10, 0, 0, 0, time.UTC), time.Date(2037, 11, 2, 5, 0, 0, 0, time.UTC), time.Date(2037, 11, 3, 5, 0, 0, 0, time.UTC), time.Date(2037, 11, 4, 5, 0, 0, 0, time.UTC)},
		// 30 April begins at one o'clock: there is no midnight.
		{"Africa/Cairo", "2038-04-28", time.Date(2038, 4, 29, 4, 0, 0, 0, time.UTC), time.Date(2038, 4, 29, 22, 0, 0, 0, time.UTC), time.Date(2038, 4, 30, 21, 0, 0, 0, time.UTC), time.Date(2038, 5, 1, 21, 0, 0, 0, time.UTC)},
	} {
		t.Run(test.zone+" "+test.start, func(t *testing.T) {
			t.Parallel()
			const grace = 6 * time.Hour
			miss := func(r *Reservation) {
				if _, err := r.Miss(MissBySweep(), test.missed); err != nil {
					t.Fatal(err)
				}
			}
			for _, step := range []struct {
				name      string
				at, until time.Time
			}{
				{"as the guest is missed", test.missed, test.midnight.Add(grace)},
				{"before midnight", test.midnight.Add(-time.Second), test.midnight.Add(grace)},
				{"at midnight", test.midnight, test.next.Add(grace)},
				{"before the next midnight", test.next.Add(-time.Second), test.next.Add(grace)},
				{"before the check-out time", test.end.Add(12*time.Hour - time.Second), test.end.Add(24*time.Hour + grace)},
			} {
				t.Run(step.name, func(t *testing.T) {
					r, err := overridden(t, test.zone, test.start, miss, Confirmed, step.at)
					if err != nil {
						t.Fatalf("%s: %v", step.name, err)
					}
					for after, want := range map[time.Duration]bool{-time.Second: false, 0: true, time.Second: true} {
						t.Run(fmt.Sprint(after), func(t *testing.T) {
							if got := r.Overdue(step.until.Add(after)); got != want {
								t.Errorf("%s: overdue %v after %v = %v, want %v", step.name, after, step.until, got, want)
							}
						})
					}
				})
			}
			for _, after := range []time.Duration{0, time.Second} {
				t.Run(after.String(), func(t *testing.T) {
					if _, err := overridden(t, test.zone, test.start, miss, Confirmed, test.end.Add(12*time.Hour+after)); !errors.Is(err, ErrIllegalTransition) {
						t.Errorf("override %v after the check-out time: %v, want %v", after, err, ErrIllegalTransition)
					}
				})
			}
		})
	}
}

// A check-out can be undone until the business date ends.
func TestOverride_checkOutTime(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		zone, start string
		begins      time.Time // the day of the check-out, one day after the arrival
		midnight    time.Time // its end
	}{
		{"Asia/Kabul", "2037-12-01", time.Date(2037, 12, 1, 19, 30, 0, 0, time.UTC), time.Date(2037, 12, 2, 19, 30, 0, 0, time.UTC)},
		{"Asia/Tehran", "2037-12-01", time.Date(2037, 12, 1, 20, 30, 0, 0, time.UTC), time.Date(2037, 12, 2, 20, 30, 0, 0, time.UTC)},
		{"America/New_York", "2038-03-13", time.Date(2038, 3, 14, 5, 0, 0, 0, time.UTC), time.Date(2038, 3, 15, 4, 0, 0, 0, time.UTC)},
		{"America/New_York", "2037-10-31", time.Date(2037, 11, 1, 4, 0, 0, 0, time.UTC), time.Date(2037, 11, 2, 5, 0, 0, 0, time.UTC)},
	} {
		t.Run(test.zone+" "+test.start, func(t *testing.T) {
			t.Parallel()
			const grace = 6 * time.Hour
			for left, until := range map[time.Time]time.Time{
				test.begins:                     test.begins.Add(grace), // in the night after the arrival
				test.begins.Add(grace):          test.midnight.Add(grace),
				test.midnight.Add(-time.Second): test.midnight.Add(grace),
			} {
				leave := func(r *Reservation) {
					of, rooms := roomsFor(r)
					if _, err := r.StartCheckIn(rooms, of, access.Actor{Type: access.Staff, ID: "usr_desk"}, r.Local.Midnight(r.Stay.Start).Add(12*time.Hour)); err != nil {
						t.Fatal(err)
					}
					issueKeys(t, r)
					if _, err := r.Leave(LeaveWish{By: access.Actor{Type: access.Staff, ID: "usr_desk"}, Folio: aFolio()}, left); err != nil {
						t.Fatal(err)
					}
				}
				for after, want := range map[time.Duration]error{-time.Second: nil, 0: ErrIllegalTransition, time.Second: ErrIllegalTransition} {
					t.Run(fmt.Sprint(after), func(t *testing.T) {
						if _, err := overridden(t, test.zone, test.start, leave, CheckedIn, until.Add(after)); !errors.Is(err, want) {
							t.Errorf("left at %v, override %v after %v: %v, want %v", left, after, until, err, want)
						}
					})
				}
			}
		})
	}
}
