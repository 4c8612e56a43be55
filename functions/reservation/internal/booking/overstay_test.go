package booking

import (
	"reflect"
	"slices"
	"testing"
	"time"

	"melmastoon.ghasi.io/functions/reservation/internal/access"
	"melmastoon.ghasi.io/functions/reservation/internal/quotes"
	"melmastoon.ghasi.io/shared/stay"
)

// overstayedOne returns a reservation whose guest is still in the house as the day of departure ends.
func overstayedOne(t testing.TB) *Reservation {
	t.Helper()
	r := checkedInOne(t)
	if !r.Overstay(r.Local.Midnight(r.Stay.End.AddDays(1))) {
		t.Fatal("Overstay() = false")
	}
	return r
}

// overstays returns the nights that a watch at a time records.
func overstays(r *Reservation, now time.Time) (nights []string) {
	for r.Overstay(now) {
		nights = append(nights, r.OverstayedOn.String())
	}
	return nights
}

func TestOverstay(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		zone  string
		start string
		from  time.Time // the midnight that ends the day of departure
		next  time.Time
		third time.Time
	}{
		{"Asia/Kabul", "2037-12-01", time.Date(2037, 12, 3, 19, 30, 0, 0, time.UTC), time.Date(2037, 12, 4, 19, 30, 0, 0, time.UTC), time.Date(2037, 12, 5, 19, 30, 0, 0, time.UTC)},
		{"Asia/Tehran", "2037-12-01", time.Date(2037, 12, 3, 20, 30, 0, 0, time.UTC), time.Date(2037, 12, 4, 20, 30, 0, 0, time.UTC), time.Date(2037, 12, 5, 20, 30, 0, 0, time.UTC)},
		// The clocks go back on 1 November, and forward on 14 March.
		{"America/New_York", "2037-10-30", time.Date(2037, 11, 2, 5, 0, 0, 0, time.UTC), time.Date(2037, 11, 3, 5, 0, 0, 0, time.UTC), time.Date(2037, 11, 4, 5, 0, 0, 0, time.UTC)},
		{"America/New_York", "2038-03-12", time.Date(2038, 3, 15, 4, 0, 0, 0, time.UTC), time.Date(2038, 3, 16, 4, 0, 0, 0, time.UTC), time.Date(2038, 3, 17, 4, 0, 0, 0, time.UTC)},
	} {
		t.Run(test.zone+" "+test.start, func(t *testing.T) {
			t.Parallel()
			r := checkedInOne(t)
			r.Local.TimeZone = test.zone
			r.stays(night(t, test.start), 2)
			last, version := r.Stay.End, r.Version
			for _, step := range []struct {
				at   time.Time
				want []string
			}{
				{test.from.Add(-time.Second), nil},
				{test.from, []string{last.String()}},
				{test.from.Add(time.Second), nil},
				{test.next.Add(-time.Second), nil},
				{test.next, []string{last.AddDays(1).String()}},
				{test.next.Add(time.Second), nil},
				{test.third.Add(-time.Second), nil},
				{test.third, []string{last.AddDays(2).String()}},
			} {
				if got := overstays(r, step.at); !slices.Equal(got, step.want) {
					t.Errorf("at %v: nights = %v, want %v", step.at, got, step.want)
				}
			}
			if r.State != CheckedIn {
				t.Errorf("state = %s, want %s", r.State, CheckedIn)
			}
			if r.Version != version+3 {
				t.Errorf("version = %d, want %d", r.Version, version+3)
			}
			late := checkedInOne(t)
			late.Local.TimeZone = r.Local.TimeZone
			late.stays(r.Stay.Start, 2)
			if got, want := overstays(late, test.third), []string{last.String(), last.AddDays(1).String(), last.AddDays(2).String()}; !slices.Equal(got, want) {
				t.Errorf("a late watch: nights = %v, want %v", got, want)
			}
		})
	}
}

func TestOverstay_states(t *testing.T) {
	t.Parallel()
	planned := checkedInOne(t)
	planned.Saga.Plan = &Plan{}
	for _, test := range []struct {
		name string
		r    *Reservation
		want bool
	}{
		{"held", aHeld(t), false},
		{"confirmed", confirmedOne(t), false},
		{"check_in_started", aCheckInStarted(t), false},
		{"checked_in", checkedInOne(t), true},
		{"checked_in with a change in progress", planned, false},
		{"checkout_started", checkoutStartedOne(t), true},
		{"checked_out", checkedOutOne(t), false},
		{"no_show", missedOne(t), false},
		{"cancelled", cancelledOne(t), false},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			before := *test.r
			if got := test.r.Overstay(test.r.Local.Midnight(test.r.Stay.End.AddDays(1))); got != test.want {
				t.Errorf("Overstay() = %v, want %v", got, test.want)
			}
			if !test.want && !reflect.DeepEqual(*test.r, before) {
				t.Error("the reservation has changed")
			}
		})
	}
}

// A guest who overstays and then extends the stay overstays again only after the new day of departure. The night without a price stays
// an overstayed one, so that the check-out counts the nights that were published.
func TestOverstay_extended(t *testing.T) {
	t.Parallel()
	r := overstayedOne(t)
	gap := r.Stay.End
	r.Stay.End = gap.AddDays(3)
	for i := range r.Items {
		for _, date := range (stay.Window{Start: gap.AddDays(1), End: r.Stay.End}).Dates() {
			r.Items[i].Nights = append(r.Items[i].Nights, quotes.Night{Date: date, Amount: 100, Room: 100})
		}
	}
	next := r.Local.Midnight(r.Stay.End.AddDays(1))
	if got := overstays(r, next.Add(-time.Second)); got != nil {
		t.Errorf("before the new departure has ended: nights = %v, want none", got)
	}
	if got, want := overstays(r, next), []string{r.Stay.End.String()}; !slices.Equal(got, want) {
		t.Errorf("after the new departure: nights = %v, want %v", got, want)
	}
	events, err := r.Leave(LeaveWish{By: access.Actor{Type: access.Staff, ID: "usr_desk"}, Folio: aFolio()}, next.AddDate(0, 0, 1))
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"checkout_started", "overstayed", "checked_out"}; !slices.Equal(names(events), want) {
		t.Errorf("Leave() = %v, want %v: also the night that no watch has published", names(events), want)
	}
	if r.CheckOut.Overstayed != 3 {
		t.Errorf("overstayedNights = %d, want 3", r.CheckOut.Overstayed)
	}
}

// stays moves the stay, with the same price for each night.
func (r *Reservation) stays(start stay.Date, nights int) {
	r.Stay = stay.Window{Start: start, End: start.AddDays(nights)}
	for i := range r.Items {
		r.Items[i].Nights = nil
		for _, date := range r.Stay.Dates() {
			r.Items[i].Nights = append(r.Items[i].Nights, quotes.Night{Date: date, Amount: 100, Room: 100})
		}
	}
}
