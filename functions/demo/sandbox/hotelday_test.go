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
	if _, err := b.owner.Exec(t.Context(), `UPDATE sandbox.tenants SET no_show_grace_hours = $1`, hours); err != nil {
		t.Fatal(err)
	}
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
			if !quote(test.first) {
				t.Errorf("a stay from day %d on has no price", test.first)
			}
			if quote(test.first - 1) {
				t.Errorf("a stay from day %d on has a price", test.first-1)
			}
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
	if got := f.Get(path); got.Status != http.StatusBadRequest {
		t.Errorf("the rates from yesterday on: %d, want 400", got.Status)
	}
	tariffs := pricing.OpenTariffs(b.env)
	previews, err := tariffs.Preview(t.Context(), []id.Property{kabul.Property},
		pricing.Staying{Party: standin.Party{Adults: 1, Rooms: 1}, Window: yesterday, Currency: money.AFN}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(previews) != 0 {
		t.Errorf("previews from yesterday on %+v, want none", previews)
	}
	days, _, err := tariffs.Calendar(t.Context(), kabul.Property, yesterday, money.AFN)
	if err != nil {
		t.Fatal(err)
	}
	if len(days) != 1 {
		t.Fatalf("the calendar has %d nights, want 1", len(days))
	}
	if days[0].Date != today {
		t.Errorf("the calendar begins on %s, want %s", days[0].Date, today)
	}
}

// The demo hotels sell the running night from their first day on.
func TestHold_runningNight(t *testing.T) {
	t.Parallel()
	b := open(t)
	w := stay.Window{Start: b.today.AddDays(-1), End: b.today.AddDays(1)}
	h := b.held(t, w, 1)
	if err := b.commit(t.Context(), h); err != nil {
		t.Fatal(err)
	}
	if got := b.left(t, w); got != 1 {
		t.Errorf("%d suites are left, want 1", got)
	}
}

// A manager reinstates a no-show in the morning of the departure day: the room's only night is over.
func TestReallocate_nightOver(t *testing.T) {
	t.Parallel()
	b := open(t)
	w := b.nights(0, 1)
	h := b.booked(t, w, 1)
	if err := b.release(t.Context(), h); err != nil {
		t.Fatal(err)
	}
	if today := b.at(t, 10*time.Hour); today != w.End {
		t.Fatalf("today is %s, want the departure day %s", today, w.End)
	}
	r := exchange(h, placement(w, 1))
	if _, err := b.Reallocate(t.Context(), r); err != nil {
		t.Fatalf("a room for a night that is over: %v", err)
	}
	if got := b.state(t, r.Allocations[0].Allocation); got != "committed" {
		t.Errorf("the allocation is %s, want committed", got)
	}
	if _, err := b.Inventory.Hold(t.Context(), b.want(w, 1)); err != nil {
		t.Errorf("a hold of a night that is over: %v", err)
	}
}
