package payment

import "melmastoon.ghasi.io/shared/fault"

// The errors of payment besides the general ones.
var (
	ErrMethodUnavailable = fault.New(fault.Conflict, "TENANT.PAYMENT_NOT_CONFIGURED", "The hotel does not accept this payment method.")
	ErrProcessing        = fault.New(fault.Conflict, "PAYMENT.PROCESSING", "The bank is processing the payment. Please wait for its answer.")
	ErrNotCollectable    = fault.New(fault.Conflict, "PAYMENT.NOT_CAPTURED", "This payment cannot be collected at the desk.")
	ErrNotCaptured       = fault.New(fault.Conflict, "PAYMENT.NOT_CAPTURED", "No captured payment to refund.")
	ErrRefundTooLarge    = fault.New(fault.Unprocessable, "PAYMENT.REFUND_EXCEEDS_CAPTURE", "The refund exceeds the captured amount.")
	ErrOtherRefund       = fault.New(fault.Unprocessable, "GENERAL.IDEMPOTENCY_KEY_REUSED", "This refund id belongs to another refund.")
)
