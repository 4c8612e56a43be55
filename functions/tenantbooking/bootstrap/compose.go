package bootstrap

import (
	"crypto/rand"
	"time"

	"melmastoon.ghasi.io/functions/tenantbooking/internal/booking"
	"melmastoon.ghasi.io/functions/tenantbooking/internal/hotel"
	"melmastoon.ghasi.io/functions/tenantbooking/internal/session"
	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/stay"
)

// compose returns the bootstrap of a visitor; a is nil unless the visitor has just arrived by a handoff.
func compose(f hotel.Storefront, v session.Visitor, a *session.Arrival, now time.Time) Bootstrap {
	t := v.Tenant
	b := Bootstrap{
		Tenant: t.ID, Slug: t.Slug, BrandName: t.BrandName, BrandTagline: t.BrandTagline, Theme: f.Theme,
		Flow: FlowConfig{
			Steps:          booking.Funnel(),
			HoldTTLSeconds: int(t.Settings.HoldTime() / time.Second),
			MaxRooms:       stay.MaxSiteRooms,
			MaxNights:      t.Settings.MaxNights(),
		},
		Locale: v.Locale, Currency: v.Currency, Methods: t.PaymentMethods, Policies: hotel.PolicyViews(f.Rules, v.Locale),
		Degraded: f.Missing, ServerTime: now, ComposedAt: composedAt(f, now), CSP: CSP{rand.Text()},
		ComposedFrom: ComposedFrom{f.ThemeVersion(), t.Version()}, Version: t.BootstrapVersion(f.ThemeVersion()),
	}
	for _, l := range t.Locales {
		b.Locales = append(b.Locales, l.Conventions())
	}
	for _, c := range t.Currencies {
		b.Currencies = append(b.Currencies, CurrencyView{
			Code:      c,
			Symbol:    symbols[c],
			Exponent:  c.Exponent(),
			IsPrimary: c == t.Currency,
		})
	}
	if a != nil {
		b.Handoff, b.Arrival = a, &a.ID
	}
	return b
}

// composedAt returns the time of the oldest part. It returns the current time if there are no parts, or if all were read for
// this response.
func composedAt(f hotel.Storefront, now time.Time) time.Time {
	if f.ComposedAt.IsZero() || now.Before(f.ComposedAt) {
		return now
	}
	return f.ComposedAt.UTC().Truncate(time.Millisecond)
}

var symbols = map[money.Currency]string{
	money.AFN: "؋", money.IRR: "﷼", money.PKR: "₨", money.AED: "د.إ", money.USD: "$", money.EUR: "€", money.GBP: "£",
}
