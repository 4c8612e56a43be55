package booking

import (
	"slices"
	"testing"
	"time"

	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/money"
)

func TestConcerns(t *testing.T) {
	t.Parallel()
	// The stay of aHeld ends on 3 December; midnight in Kabul is half past seven in the evening before, UTC.
	departure := time.Date(2037, 12, 2, 19, 30, 0, 0, time.UTC)
	asOf := func(at time.Time) func(*Reservation) { return func(r *Reservation) { r.AsOf = at } }
	owes := func(r *Reservation) { r.cost(5) }
	left := func(at time.Time, forced bool, folio money.Micro) func(*Reservation) {
		return func(r *Reservation) {
			r.State, r.CheckOut = CheckedOut, &CheckOut{At: &at, Forced: forced, Folio: &Folio{Balance: folio, Currency: r.Currency, Settled: !forced}}
		}
	}
	waits := func(s Step, age time.Duration, attempts int) func(*Reservation) {
		return func(r *Reservation) {
			r.AsOf = noon.Add(age)
			r.await(s, noon)
			r.Saga.Attempts = attempts
		}
	}
	out := func(until string) func(*Reservation) []outage {
		return func(r *Reservation) []outage {
			return []outage{{r.ID, night(t, until), noon.Add(time.Hour)}, {r.ID, night(t, until), noon}, {id.New[id.Reservation](), night(t, until), noon.Add(-time.Hour)}}
		}
	}
	for _, test := range []struct {
		name    string
		of      func(testing.TB) *Reservation
		given   []func(*Reservation)
		outages func(*Reservation) []outage
		want    []Concern
		since   time.Time // of the first
	}{
		{"nothing", checkedInOne, []func(*Reservation){asOf(arrival)}, nil, nil, noon},
		{"keys for 5 minutes", checkedInOne, []func(*Reservation){waits(AwaitKeys, 5*time.Minute, 0)}, nil, []Concern{ConcernStuck}, noon},
		{"keys for less than 5 minutes", checkedInOne, []func(*Reservation){waits(AwaitKeys, 5*time.Minute-time.Second, 0)}, nil, nil, noon},
		{"keys for 1 minute after a failure", checkedInOne, []func(*Reservation){waits(AwaitKeys, time.Minute, 1)}, nil, []Concern{ConcernStuck}, noon},
		{"keys for less than 1 minute after a failure", checkedInOne, []func(*Reservation){waits(AwaitKeys, time.Minute-time.Second, 1)}, nil, nil, noon},
		{"rooms of a live hold", aHeld, []func(*Reservation){waits(AwaitInventory, 6*time.Minute, 0)}, nil, []Concern{ConcernStuck}, noon},
		{"rooms of an expired hold", aHeld, []func(*Reservation){waits(AwaitInventory, 10*time.Minute, 0)}, nil, nil, noon},
		{"the payment of a hold", aHeld, []func(*Reservation){waits(AwaitPayment, 9*time.Minute, 1)}, nil, nil, noon},
		{"a step that older code has stored", checkedInOne, []func(*Reservation){waits(AwaitKeys, time.Hour, 3), func(r *Reservation) { r.Saga.Since = nil }}, nil, nil, noon},
		{"a key by hand", checkedInOne, []func(*Reservation){asOf(arrival), byHand}, nil, []Concern{ConcernKey}, arrival},
		{"a key by hand after check-out", checkedInOne, []func(*Reservation){asOf(arrival), byHand, func(r *Reservation) { r.State = CheckedOut }}, nil, nil, noon},
		{"a room out of order in house", checkedInOne, []func(*Reservation){asOf(arrival)}, out("2037-12-02"), []Concern{ConcernRoom}, noon},
		{"a room out of order before the arrival", confirmedOne, []func(*Reservation){asOf(noon)}, out("2037-12-02"), []Concern{ConcernRoom}, noon},
		{"a room back in order", checkedInOne, []func(*Reservation){asOf(arrival)}, out("2037-12-01"), nil, noon},
		{"a room out of order after check-out", checkedInOne, []func(*Reservation){asOf(arrival), func(r *Reservation) { r.State = CheckedOut }}, out("2037-12-09"), nil, noon},
		{"a balance before the day of departure", checkedInOne, []func(*Reservation){owes, asOf(departure.Add(-time.Second))}, nil, nil, noon},
		{"a balance on the day of departure", checkedInOne, []func(*Reservation){owes, asOf(departure)}, nil, []Concern{ConcernBalance}, departure},
		{"a balance after a forced check-out", checkedInOne, []func(*Reservation){owes, asOf(departure.AddDate(0, 1, 0)), left(departure.Add(time.Hour), true, 0)}, nil, []Concern{ConcernBalance}, departure},
		{"a balance after a forced check-out before the day of departure", checkedInOne, []func(*Reservation){owes, asOf(arrival.Add(time.Hour)), left(arrival, true, 0)}, nil, []Concern{ConcernBalance}, arrival},
		{"no balance after a forced check-out", checkedInOne, []func(*Reservation){asOf(departure.AddDate(0, 1, 0)), left(departure, true, 0)}, nil, nil, noon},
		{"a balance that a folio carries", checkedInOne, []func(*Reservation){owes, asOf(departure.AddDate(0, 1, 0)), left(departure, false, 5)}, nil, nil, noon},
		{"a balance that the folio of a forced check-out carries", checkedInOne, []func(*Reservation){owes, asOf(departure.AddDate(0, 1, 0)), left(departure, true, 5)}, nil, nil, noon},
		{"no balance on the day of departure", checkedInOne, []func(*Reservation){asOf(departure)}, nil, nil, noon},
		{"a balance of a guest who has not come", confirmedOne, []func(*Reservation){owes, asOf(departure)}, nil, nil, noon},
		{"two", checkedInOne, []func(*Reservation){asOf(departure), owes, byHand}, nil, []Concern{ConcernKey, ConcernBalance}, arrival},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			r := test.of(t)
			for _, change := range test.given {
				change(r)
			}
			var outages []outage
			if test.outages != nil {
				outages = test.outages(r)
			}
			got := r.concerns(outages)
			var reasons []Concern
			for _, a := range got {
				reasons = append(reasons, a.Reason)
			}
			if !slices.Equal(reasons, test.want) {
				t.Fatalf("got %v, want %v", reasons, test.want)
			}
			if len(got) > 0 && !got[0].Since.Equal(test.since) {
				t.Errorf("since %v, want %v", got[0].Since, test.since)
			}
		})
	}
}

// byHand gives the guest a key by hand.
func byHand(r *Reservation) { r.CheckIn.ManualKey = true }
