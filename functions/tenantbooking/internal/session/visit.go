package session

import (
	"net/http"
	"slices"
	"strings"

	"melmastoon.ghasi.io/shared/event/attribution"
	"melmastoon.ghasi.io/shared/locale"
	"melmastoon.ghasi.io/shared/money"
)

// DeviceOf returns the device class of a request. A client that is not recognized as a browser counts as a desktop.
func DeviceOf(h http.Header) attribution.Device {
	if d := attribution.DeviceOf(h); d != attribution.Other {
		return d
	}
	return attribution.Desktop
}

// Preferences returns the language and the currency of a visit: those of the session, otherwise those that the browser
// requests and the tenant supports. A request for an unsupported one is not an error.
func Preferences(h http.Header, v Visitor) (locale.Tag, money.Currency) {
	language, currency := v.Session.Locale, v.Session.Currency
	if !slices.Contains(v.Tenant.Locales, language) {
		language = locale.Negotiate(strings.Join(h.Values("Accept-Language"), ","), v.Tenant.Locales)
	}
	if wished := money.Currency(h.Get("X-Currency")); slices.Contains(v.Tenant.Currencies, wished) {
		return language, wished
	}
	if !slices.Contains(v.Tenant.Currencies, currency) {
		currency = v.Tenant.Currency
	}
	return language, currency
}
