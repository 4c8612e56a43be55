package bootstrap

import (
	"crypto/rand"
	"time"

	"melmastoon.ghasi.io/functions/tenantbooking/internal/booking"
	"melmastoon.ghasi.io/functions/tenantbooking/internal/hotel"
	"melmastoon.ghasi.io/functions/tenantbooking/internal/session"
	"melmastoon.ghasi.io/shared/money"
)

// facade returns the part that all visitors with the same language and currency share.
func facade(f hotel.Storefront, v session.Visitor) Facade {
	t := v.Tenant
	shown := Facade{
		Tenant: t.ID, Slug: t.Slug, BrandName: t.BrandName, BrandTagline: t.BrandTagline, Theme: f.Theme,
		Flow: FlowConfig{
			Steps:          booking.Funnel(),
			HoldTTLSeconds: int(t.Settings.HoldTime() / time.Second),
			MaxRooms:       hotel.MaxRooms,
			MaxNights:      t.Settings.MaxNights(),
		},
		Locale: v.Locale, Currency: v.Currency, Methods: t.PaymentMethods, Policies: hotel.PolicyViews(f.Rules, v.Locale),
	}
	for _, l := range t.Locales {
		shown.Locales = append(shown.Locales, l.Conventions())
	}
	for _, c := range t.Currencies {
		shown.Currencies = append(shown.Currencies, CurrencyView{
			Code:      c,
			Symbol:    symbols[c],
			Exponent:  c.Exponent(),
			IsPrimary: c == t.Currency,
		})
	}
	return shown
}

// moment returns the visitor's own part; a is nil unless the visitor has just arrived by a handoff.
func moment(f hotel.Storefront, v session.Visitor, a *session.Arrival, now time.Time) Moment {
	m := Moment{
		Degraded: f.Missing, ServerTime: now, ComposedAt: now, CSP: CSP{rand.Text()},
		ComposedFrom: ComposedFrom{f.ThemeVersion(), v.Tenant.Version()}, Version: v.Tenant.BootstrapVersion(f.ThemeVersion()),
	}
	if a != nil {
		m.Handoff, m.Arrival = a, &a.ID
	}
	return m
}

var symbols = map[money.Currency]string{
	money.AFN: "؋", money.IRR: "﷼", money.PKR: "₨", money.AED: "د.إ", money.USD: "$", money.EUR: "€", money.GBP: "£",
}
