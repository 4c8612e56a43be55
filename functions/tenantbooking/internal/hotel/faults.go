package hotel

import "melmastoon.ghasi.io/shared/fault"

// Errors about a hotel, each with a sentence for the guest.
var (
	ErrUnknownTenant        = fault.New(fault.NotFound, "TENANT.UNKNOWN", "No hotel has this address.")
	ErrLocaleNotSupported   = fault.New(fault.Unprocessable, "BFF.CONSUMER.LOCALE_NOT_SUPPORTED", "The hotel's site does not support this language.")
	ErrCurrencyNotSupported = fault.New(fault.Unprocessable, "BFF.CONSUMER.CURRENCY_NOT_SUPPORTED", "The hotel does not support this currency.")
)
