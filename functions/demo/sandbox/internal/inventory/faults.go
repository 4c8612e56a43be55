package inventory

import "melmastoon.ghasi.io/shared/fault"

// The errors of inventory besides the general ones.
var (
	ErrSoldOut   = fault.New(fault.Conflict, "RESERVATION.OVERBOOKING_BLOCKED", "These rooms are no longer available for these dates.")
	ErrHoldOver  = fault.New(fault.Gone, "RESERVATION.HOLD_EXPIRED", "The rooms are no longer held.")
	ErrOtherHold = fault.New(fault.Unprocessable, "GENERAL.IDEMPOTENCY_KEY_REUSED", "These allocation ids belong to another hold.")
)
