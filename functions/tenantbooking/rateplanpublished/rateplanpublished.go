// Package rateplanpublished invalidates the cached prices of a property.
package rateplanpublished

import (
	"time"

	"melmastoon.ghasi.io/functions/tenantbooking"
	"melmastoon.ghasi.io/functions/tenantbooking/internal/hotel"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/cache"
	"melmastoon.ghasi.io/shared/platform/fn"
)

// Function consumes melmastoon.pricing.rate_plan.published.v1.
var Function = tenantbooking.Invalidation(fn.Spec{
	Name:    "tenantbooking-rateplanpublished",
	Subject: "melmastoon.pricing.rate_plan.published.v1",
	Uses:    fn.Uses{fn.Documents},
	Timeout: 10 * time.Second,
}, affected)

// Published holds the members of the event that this function reads.
type Published struct {
	Property id.Property `json:"propertyId"`
}

func affected(t id.Tenant, p Published) ([]cache.Epoch, error) {
	return []cache.Epoch{hotel.OfProperty(t, p.Property)}, nil
}
