package booking

import (
	"time"

	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/money"
)

// A CheckOut records the check-out of a reservation.
type CheckOut struct {
	StartedAt  time.Time       `json:"startedAt"`
	By         Actor           `json:"actor"`
	At         *time.Time      `json:"checkedOutAt,omitzero"`
	Folio      *Folio          `json:"folio,omitzero"`
	Overstayed int             `json:"overstayedNights"`
	Early      *EarlyDeparture `json:"earlyCheckout,omitzero"`
}

// A Folio is the guest's bill, as the front desk settled it.
type Folio struct {
	ID       Name           `json:"folioId"`
	Balance  money.Micro    `json:"finalBalanceMicro"`
	Currency money.Currency `json:"currency"`
	Settled  bool           `json:"settled"`
}

// An EarlyDeparture is the result of leaving before the last day.
type EarlyDeparture struct {
	Applied     Applied         `json:"policyApplied"`
	Refunds     []Refund        `json:"paymentRefundsRequested"`
	Price       money.Micro     `json:"priceMicro"` // of the nights slept, with the penalty
	Allocations []id.Allocation `json:"inventoryAllocationIds"`
}
