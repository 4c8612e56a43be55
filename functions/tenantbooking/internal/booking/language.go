package booking

import (
	"melmastoon.ghasi.io/functions/tenantbooking/internal/session"
)

// SetLocale records the language that the guest has chosen last, for the payment page, the return URL and messages to the guest. A language
// that was only negotiated with the browser does not replace that of the quote.
func (d *Draft) SetLocale(v session.Visitor) {
	if v.Session.Locale == v.Locale && d.Locale != v.Locale {
		d.Locale, d.relocated = v.Locale, true
	}
}

// NeedsGuest reports whether the reservation service must learn the guest's details before a payment: at the first payment, and in
// another language.
func (d *Draft) NeedsGuest() bool { return d.State != Paying || d.relocated && d.Guest != nil }
