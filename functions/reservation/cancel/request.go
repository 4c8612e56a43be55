package cancel

import (
	"melmastoon.ghasi.io/functions/reservation/internal/booking"
	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/platform/fn"
)

// A Request gives the reason. A dry run returns the penalty and the refunds and changes nothing. With If-Match it applies only
// to that version of the reservation. With Max it is rejected if the penalty is higher, so that a guest never pays more than was
// shown, even if the deadline has passed in between.
type Request struct {
	ID       id.Reservation        `path:"id" json:"-"`
	Match    fn.Maybe[fn.Match]    `header:"If-Match" json:"-"`
	Code     booking.AskedReason   `json:"reasonCode"`
	Reason   booking.Text          `json:"reason,omitzero"`
	DryRun   bool                  `json:"dryRun,omitzero"`
	Max      fn.Maybe[money.Micro] `json:"maxPenaltyMicro,omitzero"`
	OnlyHeld bool                  `json:"onlyHeld,omitzero"` // rejects confirmed reservations; also cancels expired holds
}

// Validate rejects reasons that are too long and a negative Max.
func (r Request) Validate() error {
	if r.Max.Or(0) < 0 {
		return fault.ErrValidation.With(fault.Violation{Pointer: "/maxPenaltyMicro", Rule: "range", Message: "must not be negative"})
	}
	if err := booking.ValidateReason(r.Reason); err != nil {
		return fault.ErrValidation.With(fault.Violation{Pointer: "/reason", Rule: "length", Message: err.Error()})
	}
	return nil
}
