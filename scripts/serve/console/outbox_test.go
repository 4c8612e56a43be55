package console

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"melmastoon.ghasi.io/jobs/timeline/booking"
	"melmastoon.ghasi.io/shared/local/bus"
)

// The page marks a delivery from the attempt on at which the calls of its function count as failures.
func TestOutbox_late(t *testing.T) {
	t.Parallel()
	c := open(t, messages(0), nil)
	w := httptest.NewRecorder()
	c.render(w, httptest.NewRequest(http.MethodGet, "/-/outbox", nil), "outbox", outboxView{Retries: true, Pending: []bus.Pending{
		{Subscription: "early", Attempts: booking.MaxEarly}, {Subscription: "late", Attempts: booking.MaxEarly + 1},
	}})
	for _, want := range []string{`<tr><th scope="row">early`, `<tr class="bad"><th scope="row">late`} {
		if !strings.Contains(w.Body.String(), want) {
			t.Errorf("%q is not in %s", want, w.Body)
		}
	}
}
