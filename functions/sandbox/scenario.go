package sandbox

import (
	"context"
	"net/http"
	"time"

	"melmastoon.ghasi.io/shared/env"
	"melmastoon.ghasi.io/shared/fault"
)

// A Scenario is a failure that a caller asks the sandbox to play, with the header X-Sandbox-Scenario. A function that it does
// not concern acts as usual.
type Scenario string

// The scenarios.
const (
	SoldOut      Scenario = "sold_out"      // there is no room, and none can be held
	PriceChanged Scenario = "price_changed" // what is quoted is dearer than what was shown
	Declined     Scenario = "declined"      // the bank refuses
	UpstreamSlow Scenario = "upstream_slow" // answers come, but late
	UpstreamDown Scenario = "upstream_down" // nothing answers
)

const scenarioHeader = "X-Sandbox-Scenario"

// Plays reports whether a call puts on that scenario.
func Plays(h http.Header, s Scenario) bool { return h.Get(scenarioHeader) == string(s) }

// slowness is more than callers wait for most of these services.
const slowness = 1500 * time.Millisecond

// play does what a scenario does to every function. A name that is none is refused: its sender tests something else than
// they believe.
func play(ctx context.Context, h http.Header) error {
	switch Scenario(h.Get(scenarioHeader)) {
	case "", SoldOut, PriceChanged, Declined:
		return nil
	case UpstreamDown:
		return fault.ErrUnavailable
	case UpstreamSlow:
		return env.Wait(ctx, slowness)
	}
	return Refuse("/"+scenarioHeader, "known", "There is no such scenario.")
}
