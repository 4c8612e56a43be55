// Package allocationcommitted invalidates the cached room counts of a property after an allocation.
package allocationcommitted

import (
	"time"

	"melmastoon.ghasi.io/functions/tenantbooking"
	"melmastoon.ghasi.io/functions/tenantbooking/internal/hotel"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/cache"
	"melmastoon.ghasi.io/shared/platform/fn"
	"melmastoon.ghasi.io/shared/stay"
)

// Function consumes melmastoon.inventory.allocation.committed.v1.
var Function = tenantbooking.Invalidation(fn.Spec{
	Name:    "tenantbooking-allocationcommitted",
	Subject: "melmastoon.inventory.allocation.committed.v1",
	Uses:    fn.Uses{fn.Documents},
	Timeout: 10 * time.Second,
}, affected)

// Committed holds the members of the event that this function reads.
type Committed struct {
	Property id.Property `json:"propertyId"`
	Stay     stay.Window `json:"stayWindow"`
}

// affected returns an error for an invalid stay, which affects no month.
func affected(t id.Tenant, c Committed) ([]cache.Epoch, error) {
	if err := c.Stay.Validate(); err != nil {
		return nil, err
	}
	return hotel.OfStay(t, c.Property, c.Stay), nil
}
