package hotel

import (
	"slices"

	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/cache"
	"melmastoon.ghasi.io/shared/stay"
)

// The cached values of a site depend on four kinds of epochs. An event invalidates only the values that it changes. No value depends
// on the epoch of the tenant that the consumer service increments.

// OfLook is the epoch of the tenant's theme.
func OfLook(t id.Tenant) cache.Epoch { return cache.Of(t.String(), "look") }

// OfConfiguration is the epoch of the tenant's configuration: its names, settings, properties and house rules.
func OfConfiguration(t id.Tenant) cache.Epoch { return cache.Of(t.String(), "configuration") }

// OfProperty is the epoch of a property: its rooms, its rate plans and prices.
func OfProperty(t id.Tenant, p id.Property) cache.Epoch { return cache.Of(t.String(), p.String()) }

// OfStay returns the epochs of a property's availability, one per month of the stay's nights.
func OfStay(t id.Tenant, p id.Property, w stay.Window) []cache.Epoch {
	var months []cache.Epoch
	for _, night := range w.Dates() {
		months = append(months, cache.Of(t.String(), p.String(), night.String()[:len("2006-01")]))
	}
	return slices.Compact(months)
}
