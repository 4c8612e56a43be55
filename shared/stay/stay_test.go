package stay_test

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"melmastoon.ghasi.io/shared/stay"
	"melmastoon.ghasi.io/shared/testkit/check"
)

func date(t *testing.T, s string) stay.Date {
	t.Helper()
	if s == "" {
		return stay.Date{}
	}
	return check.Got(stay.ParseDate(s)).Must(t, "%s", s)
}

func TestParseDate(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, in string
		ok       bool
	}{
		{"a day", "2026-04-25", true},
		{"a leap day", "2028-02-29", true},
		{"the first day there is", "0001-01-02", true},
		{"the last", "9999-12-31", true},
		{"a leap day in a common year", "2026-02-29", false},
		{"a leap day in a century", "2100-02-29", false},
		{"the 31st of a short month", "2026-04-31", false},
		{"month 13", "2026-13-01", false},
		{"missing zeros", "2026-4-25", false},
		{"a time", "2026-04-25T00:00:00Z", false},
		{"year 0", "0000-01-01", false},
		{"what stands for no day", "0001-01-01", false},
		{"nothing", "", false},
		{"a space", "2026-04-25 ", false},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got, err := stay.ParseDate(test.in)
			if (err == nil) != test.ok {
				t.Fatalf("got %v, %v, want ok %v", got, err, test.ok)
			}
			if test.ok && got.String() != test.in || !test.ok && !got.IsZero() {
				t.Errorf("got %s, want %s", got, test.in)
			}
		})
	}
}

func TestDate_calendar(t *testing.T) {
	t.Parallel()
	kabul := time.FixedZone("Kabul", 4*60*60+30*60)
	late := time.Date(2026, 4, 25, 23, 59, 59, 0, kabul)
	if got := stay.DateOf(late); got != date(t, "2026-04-25") {
		t.Errorf("late evening in Kabul is %s, want 2026-04-25", got)
	}
	check.Equal(t, stay.DateOf(late.UTC()), date(t, "2026-04-25"), "the same instant in UTC")
	early := time.Date(2026, 4, 25, 1, 0, 0, 0, kabul)
	if got := stay.DateOf(early.UTC()); got != date(t, "2026-04-24") {
		t.Errorf("early morning in Kabul is still %s in UTC, want 2026-04-24", got)
	}
	for d, n := date(t, "1999-12-25"), 0; n < 12_000; d, n = d.AddDays(1), n+1 {
		want := time.Date(1999, 12, 25+n, 0, 0, 0, 0, time.UTC)
		if !d.Time().Equal(want) || stay.DateOf(want) != d {
			t.Fatalf("day %d is %s, want %s", n, d, want.Format(time.DateOnly))
		}
	}
}

func TestWindow(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, start, end string
		nights           int
		want             error
	}{
		{"three nights", "2026-04-25", "2026-04-28", 3, nil},
		{"over a leap day", "2028-02-28", "2028-03-01", 2, nil},
		{"a whole leap year", "2028-01-01", "2029-01-01", 366, nil},
		{"more than a year", "2028-01-01", "2029-01-02", 367, stay.ErrTooLong},
		{"no night", "2026-04-25", "2026-04-25", 0, stay.ErrOrder},
		{"backwards", "2026-04-25", "2026-04-24", 0, stay.ErrOrder},
		{"no start", "", "2026-04-24", 0, stay.ErrDate},
		{"no end", "2026-04-24", "", 0, stay.ErrDate},
		{"nothing", "", "", 0, stay.ErrDate},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			w := stay.Window{Start: date(t, test.start), End: date(t, test.end)}
			check.Error(t, w.Validate(), test.want)
			if got := w.Nights(); got != test.nights && !w.Start.IsZero() {
				t.Errorf("got %d nights, want %d", got, test.nights)
			}
		})
	}
}

func TestDates(t *testing.T) {
	t.Parallel()
	w := stay.Window{Start: date(t, "2026-02-27"), End: date(t, "2026-03-02")}
	got, err := json.Marshal(w.Dates())
	if want := `["2026-02-27","2026-02-28","2026-03-01"]`; err != nil || string(got) != want {
		t.Errorf("got %s, %v, want %s", got, err, want)
	}
	check.Equal(t, len((stay.Window{Start: w.End, End: w.Start}).Dates()), 0, "a backward window")
}

func TestOccupants(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name      string
		occupants stay.Occupants
		want      error
	}{
		{"one adult", stay.Occupants{Adults: 1}, nil},
		{"a family", stay.Occupants{Adults: 2, Children: 3, Infants: 1}, nil},
		{"children alone", stay.Occupants{Children: 2}, stay.ErrNoAdult},
		{"no occupant", stay.Occupants{}, stay.ErrNoAdult},
		{"negative infants", stay.Occupants{Adults: 1, Infants: -1}, stay.ErrOccupants},
		{"a crowd", stay.Occupants{Adults: 101}, stay.ErrOccupants},
		{"quadruplets", stay.Occupants{Adults: 2, Infants: 4}, nil},
		{"a nursery", stay.Occupants{Adults: 2, Infants: 5}, stay.ErrInfants},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			check.Error(t, test.occupants.Validate(), test.want)
		})
	}
}

func TestSQL(t *testing.T) {
	t.Parallel()
	want := date(t, "2026-04-25")
	value := check.Got(want.Value()).Must(t)
	for _, src := range []any{value, "2026-04-25"} {
		t.Run(fmt.Sprintf("%T", src), func(t *testing.T) {
			var got stay.Date
			if err := got.Scan(src); err != nil || got != want {
				t.Errorf("got %v, %v, want %v", got, err, want)
			}
		})
	}
	for _, src := range []any{nil, int64(1), "infinity"} {
		t.Run(fmt.Sprintf("%T", src), func(t *testing.T) {
			var got stay.Date
			check.Fails(t, got.Scan(src), "got %s", got)
		})
	}
}

func FuzzParseDate(f *testing.F) {
	f.Add("2026-04-25")
	f.Fuzz(func(t *testing.T, s string) {
		if d, err := stay.ParseDate(s); err == nil && d.String() != s {
			t.Errorf("%q was read as %s", s, d)
		}
	})
}
