package reservation

import (
	"errors"
	"time"

	"melmastoon.ghasi.io/shared/fault"
)

// What this service refuses, each with the sentence that the caller reads.
var (
	ErrNotFound          = fault.ErrNotFound
	ErrIllegalTransition = fault.New(fault.Conflict, "RESERVATION.ILLEGAL_TRANSITION", "The reservation is not in a state that allows this.")
	ErrOverbooked        = fault.New(fault.Conflict, "RESERVATION.OVERBOOKING_BLOCKED", "These rooms are no longer available for these dates.")
	ErrHoldExpired       = fault.New(fault.Gone, "RESERVATION.HOLD_EXPIRED", "The rooms are no longer held. Ask for a new quote.")
	ErrQuoteExpired      = fault.New(fault.Gone, "BFF.TENANT.QUOTE_EXPIRED", "The quoted price is no longer valid. Ask for a new quote.")
	ErrNotCaptured       = fault.New(fault.Conflict, "PAYMENT.NOT_CAPTURED", "The payment for this reservation has not been captured.").After(2 * time.Second)
)

// What a payment is worth for good. Each is the cause of an ErrNotCaptured; one without such a cause says that the money
// may still come.
var (
	ErrTooLittle = errors.New("the captured amount does not cover the stay; it is refunded")
	ErrForeign   = errors.New("the payment intent belongs to another reservation")

	errTooLittle = ErrNotCaptured.After(0).Because(ErrTooLittle)
	errForeign   = ErrNotCaptured.After(0).Because(ErrForeign)
)
