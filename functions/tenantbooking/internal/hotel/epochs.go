package hotel

import (
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/cache"
)

// The cached values of a site depend on four kinds of epochs: of the theme, of the configuration, of the availability of a month
// (cache.OfStay) and of the prices of a property (cache.OfProperty). An event invalidates only the values that it changes. No value
// depends on cache.OfTenant, because other services increment it too.

// OfLook is the epoch of the tenant's theme.
func OfLook(t id.Tenant) cache.Epoch { return cache.Of(t.String(), "look") }

// OfConfiguration is the epoch of the tenant's configuration: its names, settings, properties and house rules.
func OfConfiguration(t id.Tenant) cache.Epoch { return cache.Of(t.String(), "configuration") }
