package session

import "melmastoon.ghasi.io/shared/fault"

// The errors of sessions and wishlists, with the texts for guests.
var (
	ErrWishlistFull         = fault.New(fault.Unprocessable, "BFF.CONSUMER.WISHLIST_LIMIT_EXCEEDED", "Your wishlist is full (100 hotels). Remove one first.")
	ErrLocaleNotSupported   = fault.New(fault.Unprocessable, "BFF.CONSUMER.LOCALE_NOT_SUPPORTED", "This language is not supported.")
	ErrCurrencyNotSupported = fault.New(fault.Unprocessable, "BFF.CONSUMER.CURRENCY_NOT_SUPPORTED", "This currency is not supported.")
)
