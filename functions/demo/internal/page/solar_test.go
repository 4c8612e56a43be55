package page

import (
	"fmt"
	"testing"
	"time"

	"melmastoon.ghasi.io/shared/stay"
)

// Each day of this century has one day in the solar calendar, and back.
func TestFromSolar(t *testing.T) {
	t.Parallel()
	for at := time.Date(2000, time.January, 1, 0, 0, 0, 0, time.UTC); at.Year() < 2100; at = at.AddDate(0, 0, 1) {
		want := stay.DateOf(at)
		year, month, day := Solar(want)
		if got, ok := FromSolar(year, month, day); !ok || got != want {
			t.Fatalf("FromSolar(%d, %d, %d) = %s, %t, want %s", year, month, day, got, ok, want)
		}
	}
	for _, none := range [][3]int{{1405, 7, 31}, {1405, 12, 30}, {1405, 0, 1}, {1405, 13, 1}, {1405, 1, 0}, {1405, 1, 32}, {0, 1, 1}, {99999, 1, 1}} {
		t.Run(fmt.Sprint(none), func(t *testing.T) {
			if got, ok := FromSolar(none[0], none[1], none[2]); ok {
				t.Errorf("FromSolar(%v) = %s, want no date", none, got)
			}
		})
	}
	if got, ok := FromSolar(1403, 12, 30); !ok || got.String() != "2025-03-20" {
		t.Errorf("FromSolar(1403, 12, 30) = %s, %t, want the last day of a leap year", got, ok)
	}
}
