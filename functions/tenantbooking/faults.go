package tenantbooking

import (
	"time"

	"melmastoon.ghasi.io/shared/fault"
)

// suspension is the Retry-After of a suspended tenant. People end a suspension, so it may take days.
const suspension = 5 * time.Minute

// Errors that this service returns, each with a sentence for the guest.
var (
	ErrUnknownTenant = fault.New(fault.NotFound, "TENANT.UNKNOWN", "No hotel has this address.")
	ErrSuspended     = fault.New(fault.Unavailable, "TENANT.SUSPENDED", "This hotel does not accept bookings at the moment.").After(suspension)
	ErrOutdated      = fault.New(fault.Gone, "BFF.TENANT.BOOTSTRAP_STALE", "The hotel changed its settings. Reload the site.")
	ErrNoPayment     = fault.New(fault.Conflict, "TENANT.PAYMENT_NOT_CONFIGURED", "This hotel does not accept this payment method.")
	ErrNoSession     = fault.ErrUnauthenticated.Saying("No session. Load the hotel's site first.").Asking("Cookie")
	ErrNotFound      = fault.ErrNotFound

	ErrDraftClosed  = fault.New(fault.Conflict, "BFF.TENANT.DRAFT_CLOSED", "This booking is closed. Start a new one.")
	ErrIllegalStep  = fault.New(fault.Conflict, "BFF.TENANT.ILLEGAL_STEP", "This step is not possible now.")
	ErrQuoteExpired = fault.New(fault.Gone, "BFF.TENANT.QUOTE_EXPIRED", "The quoted price is no longer valid. Ask for a new quote.")
	ErrPriceChanged = fault.New(fault.Conflict, "BFF.TENANT.PRICE_CHANGED", "The price has changed. Check the new price before you continue.")
	ErrHoldExpired  = fault.New(fault.Gone, "RESERVATION.HOLD_EXPIRED", "The rooms are no longer held. Ask for a new quote.")
	ErrOverbooked   = fault.New(fault.Conflict, "RESERVATION.OVERBOOKING_BLOCKED", "These rooms are no longer available for these dates.")
	ErrDeclined     = fault.New(fault.PaymentRequired, "PAYMENT.DECLINED", "The payment was declined. Try again or choose another payment method.")
	ErrNotCaptured  = fault.New(fault.Conflict, "PAYMENT.NOT_CAPTURED", "The payment has not been captured.").After(2 * time.Second)
	ErrStale        = fault.New(fault.PreconditionFailed, "GENERAL.VERSION_CONFLICT", "It was changed by another request. Read it again and retry.")

	ErrLocaleNotSupported   = fault.New(fault.Unprocessable, "BFF.CONSUMER.LOCALE_NOT_SUPPORTED", "The hotel's site does not support this language.")
	ErrCurrencyNotSupported = fault.New(fault.Unprocessable, "BFF.CONSUMER.CURRENCY_NOT_SUPPORTED", "The hotel does not support this currency.")
)
