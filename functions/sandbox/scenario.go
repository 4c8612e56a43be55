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

// A Scenario is a failure that a caller asks the sandbox to simulate, with the header X-Sandbox-Scenario. Functions
// that it does not concern act as usual. "upstream_slow; of=pricing" applies to the pricing service alone; without of,
// it applies to every service.
type Scenario string

// The scenarios.
const (
	SoldOut      Scenario = "sold_out"      // no rooms are available
	PriceChanged Scenario = "price_changed" // quotes are higher than the prices shown before
	Declined     Scenario = "declined"      // the bank declines
	LockFailed   Scenario = "lock_failed"   // the lock is offline: no key is issued
	UpstreamSlow Scenario = "upstream_slow" // answers are late
	UpstreamDown Scenario = "upstream_down" // every call fails
)

var scenarios = []Scenario{SoldOut, PriceChanged, Declined, LockFailed, UpstreamSlow, UpstreamDown}

const scenarioHeader = "X-Sandbox-Scenario"

// Services are the values of the parameter of.
var Services = []string{"iam", "inventory", "lock", "payment", "pricing", "property", "search", "tenant", "theme"}

// Requested reports whether a call requests that scenario.
func Requested(h http.Header, s Scenario) bool { return h.Get(scenarioHeader) == string(s) }

// slowDelay is longer than callers wait for most of these services.
const slowDelay = 1500 * time.Millisecond

// headersFor returns the headers of a call for one service: with the scenario without its parameter, or without a
// scenario if it is for another service. It rejects unknown names, because the caller would otherwise test something
// else than intended.
func headersFor(h http.Header, service string) (http.Header, error) {
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

// simulate simulates the scenarios that affect every function.
func simulate(ctx context.Context, h http.Header) error {
	switch {
	case Requested(h, UpstreamDown):
		return fault.ErrUnavailable
	case Requested(h, UpstreamSlow):
		return env.Wait(ctx, slowDelay)
	}
	return nil
}

// service returns the service that a route like "POST /sandbox/pricing/v1/quotes" belongs to.
func service(route string) string {
	_, path, _ := strings.Cut(route, "/sandbox/")
	name, _, _ := strings.Cut(path, "/")
	return name
}
