package consumer

import "melmastoon.ghasi.io/shared/fault"

// The errors of this service, with the texts for guests.
var (
	ErrNotFound        = fault.ErrNotFound
	ErrNoSession       = fault.ErrUnauthenticated.Saying("Ask for the session first: the answer has a cookie to send with the next call.").Asking("Cookie")
	ErrVersionConflict = fault.ErrVersionConflict
	ErrWishlistFull    = fault.New(fault.Unprocessable, "BFF.CONSUMER.WISHLIST_LIMIT_EXCEEDED", "Your wishlist is full (100 hotels). Remove one first.")
	ErrTenantSuspended = fault.New(fault.Forbidden, "BFF.CONSUMER.TENANT_SUSPENDED", "This hotel does not accept bookings at the moment.")
	ErrBudgetExceeded  = fault.New(fault.Timeout, "BFF.CONSUMER.UPSTREAM_BUDGET_EXCEEDED", "This took too long. Try again.")

	ErrLocaleNotSupported   = fault.New(fault.Unprocessable, "BFF.CONSUMER.LOCALE_NOT_SUPPORTED", "This language is not supported.")
	ErrCurrencyNotSupported = fault.New(fault.Unprocessable, "BFF.CONSUMER.CURRENCY_NOT_SUPPORTED", "This currency is not supported.")
)
