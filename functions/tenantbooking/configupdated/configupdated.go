// Package configupdated invalidates cached responses when a tenant's configuration changes.
package configupdated

import (
	"time"

	"melmastoon.ghasi.io/functions/tenantbooking"
	"melmastoon.ghasi.io/functions/tenantbooking/internal/hotel"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/cache"
	"melmastoon.ghasi.io/shared/platform/fn"
)

// Function consumes melmastoon.tenant.config_updated.v1.
var Function = tenantbooking.Invalidation(fn.Spec{
	Name:    "tenantbooking-configupdated",
	Subject: "melmastoon.tenant.config_updated.v1",
	Uses:    fn.Uses{fn.Documents},
	Timeout: 10 * time.Second,
}, affected)

// Updated is the event's payload. Only the envelope is read.
type Updated struct{}

func affected(t id.Tenant, _ Updated) ([]cache.Epoch, error) {
	return []cache.Epoch{hotel.OfConfiguration(t)}, nil
}
