package cache

import (
	"context"
	"fmt"
	"slices"
	"time"

	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/document"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/stay"
)

// A Epoch names something that values depend on. Who fetches and who invalidates name it by the same function.
type Epoch struct{ key document.Key }

// Of names anything by its parts.
func Of(part string, more ...string) Epoch { return Epoch{document.KeyOf(part, more...)} }

// OfTenant is a tenant's own: its name, its settings, its theme.
func OfTenant(t id.Tenant) Epoch { return Of(t.String()) }

// OfProperty is a property's own: its rooms, its rate plans.
func OfProperty(t id.Tenant, p id.Property) Epoch { return Of(t.String(), p.String()) }

// OfStay is what a property has left, month by month of the nights of a stay.
func OfStay(t id.Tenant, p id.Property, w stay.Window) []Epoch {
	var months []Epoch
	for _, night := range w.Dates() {
		months = append(months, Of(t.String(), p.String(), night.String()[:len("2006-01")]))
	}
	return slices.Compact(months)
}

// epochLife is how long a generation is remembered after its last change. One that is forgotten begins at zero
// again, so it must outlive every value that was composed at zero.
const epochLife = 400 * 24 * time.Hour

// stood reports whether a generation has not changed since a moment, as far as clocks agree: its end tells when it was
// changed last.
func stood(r *document.Record, since time.Time) bool {
	return r == nil || r.ExpiresAt.Add(-epochLife).Before(since.Add(-disagreement))
}

// disagreement is how far apart the clocks of two processes may be, and more.
const disagreement = time.Minute

// Epochs are the numbers behind all generations, of all caches.
type Epochs struct {
	env      env.Env
	counters document.Counters
}

// OpenGenerations returns the generations. It asks nobody yet.
func OpenGenerations(e env.Env) Epochs { return Epochs{e, openCounters(e)} }

func openCounters(e env.Env) document.Counters { return document.OpenCounters(e, "generations") }

// Invalidate makes every value that depends on one of these stale at once, and those that are being composed stale at birth.
// After an error some may be and some not: do it again. Once too often costs one composition.
//
// It adds the seconds of the clock, not one: a number that is lost with its store begins again, and must not come back to
// what some process still remembers a value by.
func (g Epochs) Invalidate(ctx context.Context, stale ...Epoch) error {
	now := g.env.Now()
	for _, s := range stale {
		if _, err := g.counters.Add(ctx, s.key, now.Unix(), now.Add(epochLife)); err != nil {
			return fmt.Errorf("cache: invalidate: %w", err)
		}
	}
	return nil
}
