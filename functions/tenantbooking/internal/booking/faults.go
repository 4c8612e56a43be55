package booking

import (
	"time"

	"melmastoon.ghasi.io/shared/fault"
)

// Errors of a booking, each with a sentence for the guest.
var (
	ErrNotFound          = fault.ErrNotFound
	ErrNoPayment         = fault.New(fault.Conflict, "TENANT.PAYMENT_NOT_CONFIGURED", "This hotel does not accept this payment method.")
	ErrDraftClosed       = fault.New(fault.Conflict, "BFF.TENANT.DRAFT_CLOSED", "This booking has ended.")
	ErrIllegalStep       = fault.New(fault.Conflict, "BFF.TENANT.ILLEGAL_STEP", "This step is not possible now.")
	ErrQuoteExpired      = fault.New(fault.Gone, "BFF.TENANT.QUOTE_EXPIRED", "The quoted price is no longer valid. Ask for a new quote.")
	ErrPriceChanged      = fault.New(fault.Conflict, "BFF.TENANT.PRICE_CHANGED", "The price has changed. Check the new price before you continue.")
	ErrHoldExpired       = fault.New(fault.Gone, "RESERVATION.HOLD_EXPIRED", "The rooms are no longer held. Ask for a new quote.")
	ErrOverbooked        = fault.New(fault.Conflict, "RESERVATION.OVERBOOKING_BLOCKED", "These rooms are no longer available for these dates.")
	ErrDeclined          = fault.New(fault.PaymentRequired, "PAYMENT.DECLINED", "The payment was declined. Try again or choose another payment method.")
	ErrIllegalTransition = fault.New(fault.Conflict, "RESERVATION.ILLEGAL_TRANSITION", "The reservation is not in a state that allows this.")
	ErrPenaltyChanged    = fault.New(fault.Conflict, "RESERVATION.PENALTY_CHANGED", "The cancellation now costs more than was shown. Check the new amount before you continue.")
	ErrNotCaptured       = fault.New(fault.Conflict, "PAYMENT.NOT_CAPTURED", "The payment has not been captured.").After(2 * time.Second)
)
