package tenantbooking

import (
	"net/http"
	"slices"
	"strings"

	"melmastoon.ghasi.io/shared/event/attribution"
	"melmastoon.ghasi.io/shared/locale"
	"melmastoon.ghasi.io/shared/money"
)

// deviceOf is what a visit is made with. What does not say that it is a browser counts as one that stands on a desk.
func deviceOf(h http.Header) attribution.Device {
	if d := attribution.DeviceOf(h); d != attribution.Other {
		return d
	}
	return attribution.Desktop
}

// prefers is the language and the currency of a visit: what the session has chosen, else what the browser would like as
// far as the hotel has it. A wish that the hotel cannot meet is no error.
func prefers(h http.Header, v Visitor) (locale.Tag, money.Currency) {
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
