// Package scenario names the failures that a caller may ask the sandbox to simulate.
package scenario

import (
	"context"
	"mime"
	"net/http"
	"slices"
	"strings"
	"time"

	"melmastoon.ghasi.io/functions/demo/sandbox/internal/standin"
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
	Pending      Scenario = "pending"       // the bank answers a payment later
	Challenge3DS Scenario = "challenge_3ds" // a card payment is approved on the hotel's page (3-D Secure), not on a payment page
	Declined3DS  Scenario = "declined_3ds"  // as challenge_3ds, and the bank declines
	PostedReturn Scenario = "posted_return" // the payment page sends the guest back with a form, not with a link
	HoldExpired  Scenario = "hold_expired"  // rooms are held for one second only
	Suspended    Scenario = "tenant_suspended"
	LockFailed   Scenario = "lock_failed"   // the lock is offline: no key is issued
	UpstreamSlow Scenario = "upstream_slow" // answers are late
	UpstreamDown Scenario = "upstream_down" // every call fails
)

const header = "X-Sandbox-Scenario"

// Of returns the requested scenario, or "".
func Of(h http.Header) Scenario { return Scenario(h.Get(header)) }

// Requested reports whether a call requests that scenario.
func Requested(h http.Header, s Scenario) bool { return Of(h) == s }

// Inline reports whether the guest approves the payment on the hotel's page.
func (s Scenario) Inline() bool { return s == Challenge3DS || s == Declined3DS }

// All lists all scenarios.
var All = []Scenario{SoldOut, PriceChanged, Declined, Pending, Challenge3DS, Declined3DS, PostedReturn, HoldExpired, Suspended, LockFailed,
	UpstreamSlow, UpstreamDown}

// eventFails is the scenario of an event function: "fail; function=NAME". The local cloud simulates it where it delivers events, so it
// concerns no service.
const eventFails = "fail"

// Services are the values of the parameter of.
var Services = []string{"challenge", "iam", "inventory", "lock", "payment", "pricing", "property", "search", "tenant", "theme"}

// only lists the services that each scenario affects. The others affect every service.
var only = map[Scenario][]string{
	SoldOut: {"inventory", "pricing", "search"}, PriceChanged: {"pricing"}, HoldExpired: {"inventory"}, Suspended: {"tenant"}, LockFailed: {"lock"},
	Declined: {"payment"}, Pending: {"payment"}, Challenge3DS: {"payment"}, Declined3DS: {"payment"}, PostedReturn: {"payment"},
}

// For returns the scenarios that affect a service.
func For(service string) (all []Scenario) {
	for _, s := range All {
		if services, limited := only[s]; !limited || slices.Contains(services, service) {
			all = append(all, s)
		}
	}
	return all
}

// slowDelay is longer than callers wait for most of these services.
const slowDelay = 1500 * time.Millisecond

// HeadersFor returns the headers of a call for one service: with the scenario without its parameter, or without a
// scenario if it is for another service. It rejects unknown names, because the caller would otherwise test something
// else than intended.
func HeadersFor(h http.Header, service string) (http.Header, error) {
	asked := h.Get(header)
	if asked == "" {
		return h, nil
	}
	name, parameters, err := mime.ParseMediaType(asked)
	of, affected := parameters["of"]
	if _, event := parameters["function"]; err == nil && event && name == eventFails && len(parameters) == 1 {
		h = h.Clone()
		h.Del(header)
		return h, nil
	}
	if err != nil || len(parameters) > 1 || len(parameters) == 1 && !affected {
		return nil, standin.Refuse("/"+header, "form", "Must be a scenario, optionally with a service (upstream_slow; of=pricing), or fail with an event function: fail; function=NAME.")
	}
	if affected && !slices.Contains(Services, of) {
		return nil, standin.Refuse("/"+header, "known", "Unknown service: of must be one of "+strings.Join(Services, ", ")+".")
	}
	if !slices.Contains(All, Scenario(name)) {
		return nil, standin.Refuse("/"+header, "known", "Unknown ")
	}
	h = h.Clone()
	h.Set(header, name)
	if affected && of != service {
		h.Del(header)
	}
	return h, nil
}

// Simulate simulates the scenarios that affect every function.
func Simulate(ctx context.Context, h http.Header) error {
	switch {
	case Requested(h, UpstreamDown):
		return fault.ErrUnavailable
	case Requested(h, UpstreamSlow):
		return env.Wait(ctx, slowDelay)
	}
	return nil
}
