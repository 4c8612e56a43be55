package booking

import (
	"testing"
	"time"

	"melmastoon.ghasi.io/functions/reservation/internal/account"
)

// TestLocal_clockChange checks the times of a stay of two nights in zones whose clocks change, changed once, or never change. In Beirut and
// in Tehran before 2023 the clocks go forward at midnight, so that the day begins at 01:00. Hours before arrival are hours of 60 minutes,
// and nights are dates, however long they are.
func TestLocal_clockChange(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, zone, start       string
		free, checkIn, missedAt string // free is 48 hours before the start of the day, missedAt 6 hours after its end
	}{
		{"beirut_day_without_midnight", "Asia/Beirut", "2038-03-28", "2038-03-25T22:00:00Z", "2038-03-28T11:00:00Z", "2038-03-29T03:00:00Z"},
		{"beirut_day_after", "Asia/Beirut", "2038-03-29", "2038-03-26T21:00:00Z", "2038-03-29T11:00:00Z", "2038-03-30T03:00:00Z"},
		{"beirut_day_of_25_hours", "Asia/Beirut", "2038-10-30", "2038-10-27T21:00:00Z", "2038-10-30T11:00:00Z", "2038-10-31T04:00:00Z"},
		{"beirut_winter", "Asia/Beirut", "2038-10-31", "2038-10-28T22:00:00Z", "2038-10-31T12:00:00Z", "2038-11-01T04:00:00Z"},
		{"tehran_day_without_midnight", "Asia/Tehran", "2022-03-22", "2022-03-19T20:30:00Z", "2022-03-22T09:30:00Z", "2022-03-23T01:30:00Z"},
		{"tehran_without_change", "Asia/Tehran", "2038-03-22", "2038-03-19T20:30:00Z", "2038-03-22T10:30:00Z", "2038-03-23T02:30:00Z"},
		{"istanbul", "Europe/Istanbul", "2038-03-28", "2038-03-25T21:00:00Z", "2038-03-28T11:00:00Z", "2038-03-29T03:00:00Z"},
		{"kabul", "Asia/Kabul", "2038-03-28", "2038-03-25T19:30:00Z", "2038-03-28T09:30:00Z", "2038-03-29T01:30:00Z"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			r := confirmedOne(t)
			r.Local.TimeZone, r.Stay.Start, r.Stay.End = test.zone, night(t, test.start), night(t, test.start).AddDays(2)
			free := moment(t, test.free)
			if got := *r.freeUntil(); !got.Equal(free) {
				t.Errorf("freeUntil() = %v, want %v", got, free)
			}
			if got := account.Sum(r.penalty(free.Add(-time.Millisecond))); got != 0 {
				t.Errorf("at the last free moment the penalty is %d, want 0", got)
			}
			if len(r.penalty(free)) == 0 {
				t.Error("at the deadline there is no penalty")
			}
			if got, want := r.Local.Hour(r.Stay.Start, r.Local.CheckInFrom), moment(t, test.checkIn); !got.Equal(want) {
				t.Errorf("check-in begins at %v, want %v", got.UTC(), want)
			}
			if got, want := r.noShowAt(), moment(t, test.missedAt); !got.Equal(want) {
				t.Errorf("noShowAt() = %v, want %v", got.UTC(), want)
			}
			if got := r.Local.Date(r.Local.Midnight(r.Stay.Start)); got != r.Stay.Start {
				t.Errorf("the first moment of %s is on %s", r.Stay.Start, got)
			}
			if got := r.Local.Date(r.Local.Midnight(r.Stay.Start).Add(-time.Nanosecond)); got != r.Stay.Start.AddDays(-1) {
				t.Errorf("the moment before %s is on %s", r.Stay.Start, got)
			}
			if got := r.Stay.Nights(); got != 2 {
				t.Errorf("the stay has %d nights, want 2", got)
			}
		})
	}
}

func moment(t *testing.T, text string) time.Time {
	t.Helper()
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		t.Fatal(err)
	}
	return at
}
