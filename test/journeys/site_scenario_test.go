package journeys

import (
	"net/http"
	"testing"

	"melmastoon.ghasi.io/functions/sandbox/demo"
	"melmastoon.ghasi.io/test/stage"
)

// TestAScenarioIsPlayedByTheNeighboursOfTheNeighbours has a front-end developer put on scenarios at the hotel's own site. What
// is played for one is not seen by the next.
func TestAScenarioIsPlayedByTheNeighboursOfTheNeighbours(t *testing.T) {
	t.Parallel()
	s := stage.Open(t)
	v := s.Visit(demo.KabulGrand).Ask(stage.Usual())
	play := func(name string) { v.Headers = map[string]string{"X-Sandbox-Scenario": name} }
	for _, test := range []struct {
		scenario, method, path string
		body                   any
		status                 int
		code                   string
	}{
		{"sold_out", http.MethodPost, "/hold", v.Holding(), http.StatusConflict, "RESERVATION.OVERBOOKING_BLOCKED"}, // two services away
		{"upstream_down", http.MethodPost, "/quote", v.Wanting(stage.Usual()), http.StatusServiceUnavailable, "BFF.UPSTREAM_UNAVAILABLE"},
		{"lunch", http.MethodPost, "/quote", v.Wanting(stage.Usual()), http.StatusBadRequest, "GENERAL.VALIDATION_FAILED"},
	} {
		play(test.scenario)
		for range 6 { // a breaker that took it for true would be open after five
			v.Refused(test.status, test.code, test.method, test.path, test.body)
		}
	}
	v.Headers = nil
	v.Ask(stage.Usual()).Hold()
}
