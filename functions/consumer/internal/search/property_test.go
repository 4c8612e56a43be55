package search_test

import (
	"testing"
	"time"

	"melmastoon.ghasi.io/functions/consumer/internal/search"
	"melmastoon.ghasi.io/shared/stay"
	"melmastoon.ghasi.io/shared/testkit/check"
)

func TestProperty_CheckDates(t *testing.T) {
	t.Parallel()
	evening := time.Date(2026, 11, 21, 20, 0, 0, 0, time.UTC) // 00:30 on the 22nd in Kabul
	for _, test := range []struct {
		zone, checkIn string
		ok            bool
	}{
		{"Asia/Kabul", "2026-11-21", false}, {"Asia/Kabul", "2026-11-22", true}, {"Asia/Kabul", "2026-11-20", false},
		{"America/Los_Angeles", "2026-11-21", true}, {"America/Los_Angeles", "2026-11-20", false},
		{"", "2026-11-21", true}, {"Nowhere/Else", "2026-11-20", false},
	} {
		t.Run(test.zone+" "+test.checkIn, func(t *testing.T) {
			t.Parallel()
			checkIn, err := stay.ParseDate(test.checkIn)
			check.Must(t, err)
			err = search.Property{TimeZone: test.zone}.CheckDates(search.DateRange{CheckIn: checkIn, CheckOut: checkIn.AddDays(1)}, "/dates", evening)
			check.Equal(t, err == nil, test.ok, "Receives() = %v", err)
		})
	}
}
