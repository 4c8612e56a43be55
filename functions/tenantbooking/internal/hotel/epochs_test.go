package hotel_test

import (
	"testing"

	"melmastoon.ghasi.io/functions/tenantbooking/internal/hotel"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/cache"
	"melmastoon.ghasi.io/shared/stay"
	"melmastoon.ghasi.io/shared/testkit/check"
)

func TestOfStay(t *testing.T) {
	t.Parallel()
	tnt, ppt := id.New[id.Tenant](), id.New[id.Property]()
	window := func(start, end string) stay.Window {
		from, err := stay.ParseDate(start)
		check.Must(t, err)
		to, err := stay.ParseDate(end)
		check.Must(t, err)
		return stay.Window{Start: from, End: to}
	}
	month := func(m string) cache.Epoch { return cache.Of(tnt.String(), ppt.String(), m) }
	for _, test := range []struct {
		name   string
		window stay.Window
		want   []cache.Epoch
	}{
		{"one_month", window("2026-05-01", "2026-05-31"), []cache.Epoch{month("2026-05")}},
		{"last_night_of_a_month", window("2026-05-31", "2026-06-01"), []cache.Epoch{month("2026-05")}}, // the night of departure is not theirs
		{"two_months", window("2026-05-31", "2026-06-02"), []cache.Epoch{month("2026-05"), month("2026-06")}},
		{"two_years", window("2026-12-30", "2027-02-02"), []cache.Epoch{month("2026-12"), month("2027-01"), month("2027-02")}},
	} {
		t.Run(test.name, func(t *testing.T) {
			check.Equal(t, hotel.OfStay(tnt, ppt, test.window), test.want)
		})
	}
}
