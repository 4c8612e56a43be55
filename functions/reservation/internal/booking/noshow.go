package booking

import (
	"time"

	"melmastoon.ghasi.io/shared/id"
)

// A Missed records that the guest did not come.
type Missed struct {
	At          time.Time       `json:"occurredAt"`
	By          Actor           `json:"actor"`
	Applied     Applied         `json:"policyApplied"`
	Refunds     []Refund        `json:"paymentRefundsRequested"`
	Allocations []id.Allocation `json:"inventoryAllocationIds"`
}
