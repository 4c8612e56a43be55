package tenantbooking

import (
	"melmastoon.ghasi.io/shared/env"
	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/sampling"
)

// Flags are what is switched while functions run: so far how telemetry is thinned.
type Flags struct{ rates func() sampling.Rates }

// OpenFlags opens the flags.
func OpenFlags(env.Env) *Flags {
	builtIn := Sampling.Rates()
	return &Flags{func() sampling.Rates { return builtIn }}
}

// Told are the events that are told: all that are evidence of a booking, a sample of the rest, and of those none about a
// guest who wants no telemetry.
func (f *Flags) Told(silent bool, events ...event.Draft) (told []event.Draft) {
	rates := f.rates()
	for _, e := range events {
		if silent && e.Subject.Retention.Class == event.Operational {
			continue
		}
		if e.ID.IsZero() {
			e.ID = id.New[id.Event]()
		}
		keep, oneIn := rates.Keep(e.Subject.Name, e.ID)
		if !keep {
			continue
		}
		e.Subject.OneIn = oneIn
		told = append(told, e)
	}
	return told
}
