package demo_test

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"melmastoon.ghasi.io/functions/demo/sandbox/internal/pricing"
	"melmastoon.ghasi.io/shared/testkit/check"
)

// promised returns the moment that a sentence names, for an arrival on that day: the day is counted in the calendar, the hours back
// from the midnight that begins the day of arrival.
func promised(t *testing.T, sentence string, arrival time.Time) time.Time {
	t.Helper()
	number := func(pattern string) (n int, ok bool) {
		found := regexp.MustCompile(pattern).FindStringSubmatch(sentence)
		if found == nil {
			return 0, false
		}
		n, err := strconv.Atoi(found[1])
		return n, err == nil
	}
	const prefix = "Free of charge until "
	if n, ok := number(prefix + `(\d+) hours? before midnight at the start of the day of arrival,`); ok {
		return arrival.Add(-time.Duration(n) * time.Hour)
	}
	if n, ok := number(prefix + `midnight at the start of the day (\d+) days before arrival,`); ok {
		return arrival.AddDate(0, 0, -n)
	}
	switch {
	case strings.HasPrefix(sentence, prefix+"midnight at the start of the day before arrival,"):
		return arrival.AddDate(0, 0, -1)
	case strings.HasPrefix(sentence, prefix+"midnight at the start of the day of arrival,"):
		return arrival
	}
	t.Fatalf("%q names no moment", sentence)
	return time.Time{}
}

// The deadline counts back from the midnight that begins the day of arrival at the property, as in the reservation service.
func TestTerms_deadline(t *testing.T) {
	t.Parallel()
	_, all := hotels(t)
	seen := map[string]bool{}
	for _, h := range all {
		zone, err := time.LoadLocation(h.TimeZone)
		check.Must(t, err)
		arrival := time.Date(2027, time.January, 21, 0, 0, 0, 0, zone)
		for _, r := range h.Rooms {
			policies := []pricing.Policy{r.Flexible.Policy, r.Saver.Policy}
			for _, hours := range []int{0, 1, 12, 36, 48} {
				policies = append(policies, pricing.Policy{FreeUntilHoursBefore: hours, PenaltyPercent: 30})
			}
			for _, p := range policies {
				key := fmt.Sprint(h.TimeZone, p.FreeUntilHoursBefore)
				if seen[key] {
					continue
				}
				seen[key] = true
				want := arrival.Add(-time.Duration(p.FreeUntilHoursBefore) * time.Hour)
				check.Equal(t, promised(t, p.Terms(), arrival), want, "deadline of %q in %s", p.Terms(), h.TimeZone)
			}
		}
	}
}

func TestTerms_penalty(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		policy pricing.Policy
		want   string
	}{
		{pricing.Policy{FreeUntilHoursBefore: 24, PenaltyPercent: 100}, "Free of charge until midnight at the start of the day before arrival, then the whole price."},
		{pricing.Policy{FreeUntilHoursBefore: 168, PenaltyPercent: 50}, "Free of charge until midnight at the start of the day 7 days before arrival, then half the price."},
		{pricing.Policy{FreeUntilHoursBefore: 1, PenaltyPercent: 30}, "Free of charge until 1 hour before midnight at the start of the day of arrival, then 30% of the price."},
		{pricing.Policy{PenaltyNights: 1}, "Free of charge until midnight at the start of the day of arrival, then the price of 1 night."},
		{pricing.Policy{FreeUntilHoursBefore: 36, PenaltyNights: 2}, "Free of charge until 36 hours before midnight at the start of the day of arrival, then the price of 2 nights."},
	} {
		t.Run(test.want, func(t *testing.T) {
			t.Parallel()
			check.Equal(t, test.policy.Terms(), test.want)
		})
	}
}
