package sandbox

import "melmastoon.ghasi.io/shared/fault"

// The errors of the sandbox besides the general ones.
var (
	ErrTenantUnknown     = fault.New(fault.NotFound, "TENANT.UNKNOWN", "No hotel has this address.")
	ErrSoldOut           = fault.New(fault.Conflict, "RESERVATION.OVERBOOKING_BLOCKED", "These rooms are no longer available for these dates.")
	ErrHoldOver          = fault.New(fault.Gone, "RESERVATION.HOLD_EXPIRED", "The rooms are no longer held.")
	ErrOtherHold         = fault.New(fault.Unprocessable, "GENERAL.IDEMPOTENCY_KEY_REUSED", "These allocation ids belong to another hold.")
	ErrCurrency          = fault.New(fault.Unprocessable, "BFF.CONSUMER.CURRENCY_NOT_SUPPORTED", "Prices are not available in this currency.")
	ErrMethodUnavailable = fault.New(fault.Conflict, "TENANT.PAYMENT_NOT_CONFIGURED", "The hotel does not accept this payment method.")
	ErrProcessing        = fault.New(fault.Conflict, "PAYMENT.PROCESSING", "The bank is processing the payment. Please wait for its answer.")
	ErrNotCollectable    = fault.New(fault.Conflict, "PAYMENT.NOT_CAPTURED", "This payment cannot be collected at the desk.")
	ErrNotCaptured       = fault.New(fault.Conflict, "PAYMENT.NOT_CAPTURED", "No captured payment to refund.")
	ErrRefundTooLarge    = fault.New(fault.Unprocessable, "PAYMENT.REFUND_EXCEEDS_CAPTURE", "The refund exceeds the captured amount.")
	ErrOtherKey          = fault.New(fault.Unprocessable, "GENERAL.IDEMPOTENCY_KEY_REUSED", "This key id belongs to another key.")
	ErrOtherRefund       = fault.New(fault.Unprocessable, "GENERAL.IDEMPOTENCY_KEY_REUSED", "This refund id belongs to another refund.")
)
