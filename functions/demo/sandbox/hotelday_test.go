package sandbox_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"melmastoon.ghasi.io/functions/demo/sandbox/internal/pricing"
	"melmastoon.ghasi.io/functions/demo/sandbox/internal/standin"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/stay"
	"melmastoon.ghasi.io/shared/testkit/check"
)

// at advances the clock to a time of the next day in Kabul and returns that day.
func (b books) at(t *testing.T, clock time.Duration) stay.Date {
	t.Helper()
	var day stay.Date
	var until time.Duration
	if err := b.owner.QueryRow(t.Context(), `
		SELECT next.day, (next.day + $2::interval) AT TIME ZONE $1 - platform.now()
		FROM (SELECT (platform.now() AT TIME ZONE $1)::date + 1 AS day) AS next`, kabul.TimeZone, clock).Scan(&day, &until); err != nil {
		t.Fatal(err)
	}
	b.Advance(until)
	return day
}

// grace stores the tenant's grace period for late guests.
func (b books) grace(t *testing.T, hours int) {
	t.Helper()
	check.Got(b.owner.Exec(t.Context(), `UPDATE sandbox.tenants SET no_show_grace_hours = $1`, hours)).Must(t)
}

func TestQuote_businessDate(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name  string
		grace int
		clock time.Duration
		first int // the first night on sale: -1 is the running one
	}{
		{"after midnight", 6, 20 * time.Minute, -1},
		{"before the grace period ends", 6, 5*time.Hour + 30*time.Minute, -1},
		{"after the grace period", 6, 6 * time.Hour, 0},
		{"without a grace period", 0, time.Minute, 0},
		{"within a grace period of days", 72, 11*time.Hour + 30*time.Minute, -1},
		{"at noon with a grace period of days", 72, 12 * time.Hour, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			b := open(t)
			b.grace(t, test.grace)
			today := b.at(t, test.clock)
			f := b.front(t)
			quote := func(day int) bool {
				r := b.priceRequest()
				r["stayWindow"] = stay.Window{Start: today.AddDays(day), End: today.AddDays(day + 2)}
				got := f.Post("/sandbox/pricing/v1/quotes", r)
				if got.Status != http.StatusOK && !strings.Contains(string(got.Body), "/stayWindow/start") {
					t.Errorf("from day %d on: %d %s, want a price or a violation of /stayWindow/start", day, got.Status, got.Body)
				}
				return got.Status == http.StatusOK
			}
			check.Equal(t, quote(test.first), true, "a stay from day %d on has no price", test.first)
			check.Equal(t, quote(test.first-1), false, "a stay from day %d on has a price", test.first-1)
		})
	}
}

// Guests see the nights of the calendar date only, also while a quote of the running night is possible.
func TestCompare_calendarDate(t *testing.T) {
	t.Parallel()
	b := open(t)
	today := b.at(t, 20*time.Minute)
	f := b.front(t)
	yesterday := stay.Window{Start: today.AddDays(-1), End: today.AddDays(1)}
	path := "/sandbox/pricing/v1/cheapest?tenantId=" + kabul.Tenant.String() + "&propertyId=" + kabul.Property.String() +
		"&start=" + yesterday.Start.String() + "&end=" + yesterday.End.String() + "&currency=AFN&adults=1&rooms=1"
	f.Get(path).Want(t, http.StatusBadRequest)
	tariffs := pricing.OpenTariffs(b.env)
	previews, err := tariffs.Preview(t.Context(), []id.Property{kabul.Property},
		pricing.Staying{Party: standin.Party{Adults: 1, Rooms: 1}, Window: yesterday, Currency: money.AFN}, nil)
	check.Must(t, err)
	check.Equal(t, len(previews), 0, "previews from yesterday on")
	days, _, err := tariffs.Calendar(t.Context(), kabul.Property, yesterday, money.AFN)
	check.Must(t, err)
	check.MustEqual(t, len(days), 1, "nights of the calendar")
	check.Equal(t, days[0].Date, today, "first night of the calendar")
}

// The demo hotels sell the running night from their first day on.
func TestHold_runningNight(t *testing.T) {
	t.Parallel()
	b := open(t)
	w := stay.Window{Start: b.today.AddDays(-1), End: b.today.AddDays(1)}
	h := b.held(t, w, 1)
	check.Must(t, b.commit(t.Context(), h))
	check.Equal(t, b.left(t, w), 1, "suites left")
}

// A manager reinstates a no-show in the morning of the departure day: the room's only night is over.
func TestReallocate_nightOver(t *testing.T) {
	t.Parallel()
	b := open(t)
	w := b.nights(0, 1)
	h := b.booked(t, w, 1)
	check.Must(t, b.release(t.Context(), h))
	check.MustEqual(t, b.at(t, 10*time.Hour), w.End)
	r := exchange(h, placement(w, 1))
	check.Got(b.Reallocate(t.Context(), r)).Must(t, "a room for a night that is over")
	check.Equal(t, b.state(t, r.Allocations[0].Allocation), "committed", "the allocation")
	check.Got(b.Inventory.Hold(t.Context(), b.want(w, 1))).NoError(t, "a hold of a night that is over")
}
