package journeys

import (
	"net/http"
	"regexp"
	"strings"
	"testing"

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
		if got := page(path); !strings.Contains(got, want) {
			t.Errorf("%s: %q is not in %s", path, want, got)
		}
	}
	link := regexp.MustCompile(`href="(/-/events/\d+)"`).FindStringSubmatch(page("/-/events?subject=payment.transaction.captured"))
	if link == nil {
		t.Fatal("no event of the capture on the page")
	}
	for _, want := range []string{"reservation-paymentcaptured", "consumed", b.ReservationID, b.IntentID} {
		if got := page(link[1]); !strings.Contains(got, want) {
			t.Errorf("%s: %q is not in %s", link[1], want, got)
		}
	}
}
