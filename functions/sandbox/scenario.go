package sandbox

import (
	"context"
	"mime"
	"net/http"
	"slices"
	"strings"
	"time"

	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/platform/env"
)

// A Scenario is a failure that a caller asks the sandbox to play, with the header X-Sandbox-Scenario. A function that it does
// not concern acts as usual. "upstream_slow; of=pricing" is played by the pricing service alone; without of, every service plays it.
type Scenario string

// The scenarios.
const (
	SoldOut      Scenario = "sold_out"      // there is no room, and none can be held
	PriceChanged Scenario = "price_changed" // what is quoted is dearer than what was shown
	Declined     Scenario = "declined"      // the bank refuses
	UpstreamSlow Scenario = "upstream_slow" // answers come, but late
	UpstreamDown Scenario = "upstream_down" // nothing answers
)

var scenarios = []Scenario{SoldOut, PriceChanged, Declined, UpstreamSlow, UpstreamDown}

const scenarioHeader = "X-Sandbox-Scenario"

// Services are the names that the parameter of takes.
var Services = []string{"iam", "inventory", "payment", "pricing", "property", "search", "tenant", "theme"}

// Plays reports whether a call puts on that scenario.
func Plays(h http.Header, s Scenario) bool { return h.Get(scenarioHeader) == string(s) }

// slowness is more than callers wait for most of these services.
const slowness = 1500 * time.Millisecond

// narrowed returns the headers of a call as a service sees them: with the scenario without its parameter, or with no scenario if it
// is for another service. An unknown name is refused: its sender would test something else than they believe.
func narrowed(h http.Header, service string) (http.Header, error) {
	asked := h.Get(scenarioHeader)
	if asked == "" {
		return h, nil
	}
	name, parameters, err := mime.ParseMediaType(asked)
	of, only := parameters["of"]
	if err != nil || len(parameters) > 1 || len(parameters) == 1 && !only {
		return nil, Refuse("/"+scenarioHeader, "form", "Must be a scenario, optionally with a service: upstream_slow; of=pricing.")
	}
	if only && !slices.Contains(Services, of) {
		return nil, Refuse("/"+scenarioHeader, "known", "Unknown service: of must be one of "+strings.Join(Services, ", ")+".")
	}
	if !slices.Contains(scenarios, Scenario(name)) {
		return nil, Refuse("/"+scenarioHeader, "known", "Unknown scenario.")
	}
	h = h.Clone()
	h.Set(scenarioHeader, name)
	if only && of != service {
		h.Del(scenarioHeader)
	}
	return h, nil
}

// play does what a scenario does to every function.
func play(ctx context.Context, h http.Header) error {
	switch {
	case Plays(h, UpstreamDown):
		return fault.ErrUnavailable
	case Plays(h, UpstreamSlow):
		return env.Wait(ctx, slowness)
	}
	return nil
}

// service returns the service that a route like "POST /sandbox/pricing/v1/quotes" belongs to.
func service(route string) string {
	_, path, _ := strings.Cut(route, "/sandbox/")
	name, _, _ := strings.Cut(path, "/")
	return name
}
