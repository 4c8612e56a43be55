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

// An Epoch names something that values depend on. Fetching and invalidating code must name it with the same function.
type Epoch struct{ key document.Key }

// Of names an epoch by its parts.
func Of(part string, more ...string) Epoch { return Epoch{document.KeyOf(part, more...)} }

// OfTenant is the epoch of a tenant: its name, its settings, its theme.
func OfTenant(t id.Tenant) Epoch { return Of(t.String()) }

// OfProperty is the epoch of a property: its rooms, its rate plans.
func OfProperty(t id.Tenant, p id.Property) Epoch { return Of(t.String(), p.String()) }

// OfStay returns the epochs of a property's availability, one per month of the stay's nights.
func OfStay(t id.Tenant, p id.Property, w stay.Window) []Epoch {
	var months []Epoch
	for _, night := range w.Dates() {
		months = append(months, Of(t.String(), p.String(), night.String()[:len("2006-01")]))
	}
	return slices.Compact(months)
}

// epochLife is how long an epoch is stored after its last change. An expired epoch starts at zero again, so its life must exceed
// that of every value that was composed at zero.
const epochLife = 400 * 24 * time.Hour

// Epochs holds the counters of all epochs, of all caches.
type Epochs struct {
	env      env.Env
	counters document.Counters
}

// OpenEpochs returns the epochs. It does not connect.
func OpenEpochs(e env.Env) Epochs { return Epochs{e, openCounters(e)} }

// openCounters opens the collection of the epochs. Its name predates the word epoch: functions of the previous release use it.
func openCounters(e env.Env) document.Counters { return document.OpenCounters(e, "generations") }

// namesOf returns the documents of these epochs.
func namesOf(counters document.Counters, depends []Epoch) []document.Name {
	names := make([]document.Name, len(depends))
	for i, e := range depends {
		names[i] = counters.Name(e.key)
	}
	return names
}

// Invalidate makes every value that depends on one of these epochs stale, including values that are being composed. After an
// error some may be invalidated and some not: call it again. An extra call costs one composition.
//
// It adds the clock's seconds, not one: a counter that was lost with its store starts again, and must not return to a number
// under which some process still has a value in memory.
func (e Epochs) Invalidate(ctx context.Context, stale ...Epoch) error {
	now := e.env.Now()
	for _, s := range stale {
		if _, err := e.counters.Add(ctx, s.key, now.Unix(), now.Add(epochLife)); err != nil {
			return fmt.Errorf("cache: invalidate: %w", err)
		}
	}
	return nil
}
