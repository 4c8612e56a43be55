package journeys

import (
	"net/http"
	"regexp"
	"testing"

	"melmastoon.ghasi.io/shared/testkit/check"
	"melmastoon.ghasi.io/test/system"
)

// TestConsole_pages opens the pages about a booking: each names the events and calls of that booking.
func TestConsole_pages(t *testing.T) {
	t.Parallel()
	s := system.Open(t)
	b := s.Book(system.Usual()).Intend("card")
	b.Pay()
	html := map[string]string{"Accept": "text/html"}
	page := func(path string) string {
		return string(s.Must(http.StatusOK, system.Request{Method: http.MethodGet, Path: path, Header: html}).Body)
	}
	for path, want := range map[string]string{
		"/-/functions?service=reservation": "reservation-hold",
		"/-/functions/reservation-hold":    "201",
		"/-/events?subject=confirmed":      "reservation.confirmed",
		"/-/events?from=0":                 "oldest first",
	} {
		t.Run(path, func(t *testing.T) { check.Contains(t, page(path), want) })
	}
	link := regexp.MustCompile(`href="(/-/events/\d+)"`).FindStringSubmatch(page("/-/events?subject=payment.transaction.captured"))
	if link == nil {
		t.Fatal("no event of the capture on the page")
	}
	event := page(link[1])
	for name, want := range map[string]string{
		"function":    "reservation-paymentcaptured",
		"outcome":     "consumed",
		"reservation": b.ReservationID,
		"intent":      b.IntentID,
	} {
		t.Run(name, func(t *testing.T) { check.Contains(t, event, want) })
	}
}
