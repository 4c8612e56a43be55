package sandbox

import "melmastoon.ghasi.io/shared/fault"

// What callers of the sandbox can be told besides the general faults.
var (
	ErrTenantUnknown     = fault.New(fault.NotFound, "TENANT.UNKNOWN", "There is no such hotel site.")
	ErrSoldOut           = fault.New(fault.Conflict, "RESERVATION.OVERBOOKING_BLOCKED", "These rooms are no longer free for these nights.")
	ErrHoldOver          = fault.New(fault.Gone, "RESERVATION.HOLD_EXPIRED", "The rooms are no longer held.")
	ErrOtherHold         = fault.New(fault.Unprocessable, "GENERAL.IDEMPOTENCY_KEY_REUSED", "These allocation ids belong to another hold.")
	ErrCurrency          = fault.New(fault.Unprocessable, "BFF.CONSUMER.CURRENCY_NOT_SUPPORTED", "Prices are not available in this currency.")
	ErrMethodUnavailable = fault.New(fault.Conflict, "TENANT.PAYMENT_NOT_CONFIGURED", "The hotel does not take this way of paying.")
	ErrNotCaptured       = fault.New(fault.Conflict, "PAYMENT.NOT_CAPTURED", "Nothing was paid that could be given back.")
	ErrRefundTooLarge    = fault.New(fault.Unprocessable, "PAYMENT.REFUND_EXCEEDS_CAPTURE", "More cannot be given back than was paid.")
	ErrOtherRefund       = fault.New(fault.Unprocessable, "GENERAL.IDEMPOTENCY_KEY_REUSED", "This refund id belongs to another refund.")
)
