// Package themepublished invalidates the cached theme of a tenant.
package themepublished

import (
	"time"

	"melmastoon.ghasi.io/functions/tenantbooking"
	"melmastoon.ghasi.io/functions/tenantbooking/internal/hotel"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/cache"
	"melmastoon.ghasi.io/shared/platform/fn"
)

// Function consumes melmastoon.theme.published.v1.
var Function = tenantbooking.Invalidation(fn.Spec{
	Name:    "tenantbooking-themepublished",
	Subject: "melmastoon.theme.published.v1",
	Uses:    fn.Uses{fn.Documents},
	Timeout: 10 * time.Second,
}, affected)

// Published is the event's payload. Only the envelope is read.
type Published struct{}

func affected(t id.Tenant, _ Published) ([]cache.Epoch, error) {
	return []cache.Epoch{hotel.OfLook(t)}, nil
}
