package session

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"time"

	"melmastoon.ghasi.io/functions/tenantbooking/internal/hotel"
	"melmastoon.ghasi.io/functions/tenantbooking/internal/subject"
	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/locale"
	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/platform/fn"
)

type localeChanged struct {
	Tenant    id.Tenant        `json:"tenantId"`
	Session   id.TenantSession `json:"sessionId"`
	From      locale.Tag       `json:"from"`
	To        locale.Tag       `json:"to"`
	RTLChange bool             `json:"isRtlChange"`
	ChangedAt time.Time        `json:"changedAt"`
}

type currencyChanged struct {
	Tenant    id.Tenant        `json:"tenantId"`
	Session   id.TenantSession `json:"sessionId"`
	From      money.Currency   `json:"from"`
	To        money.Currency   `json:"to"`
	Draft     *id.Draft        `json:"draftId,omitzero"`
	ChangedAt time.Time        `json:"changedAt"`
}

// SetPreferences sets the language and the currency of the session, if given, and returns an event for each value that has
// changed. It returns ErrLocaleNotSupported or ErrCurrencyNotSupported if the tenant does not support a value.
func (v *Visitor) SetPreferences(l fn.Maybe[locale.Tag], c fn.Maybe[money.Code], now time.Time) (events []event.Draft, err error) {
	language, currency := l.Or(v.Locale), money.Currency(c.Or(money.Code(v.Currency)))
	switch {
	case !slices.Contains(v.Tenant.Locales, language):
		return nil, hotel.ErrLocaleNotSupported
	case !slices.Contains(v.Tenant.Currencies, currency):
		return nil, hotel.ErrCurrencyNotSupported
	}
	if from := v.Locale; from != language {
		events = append(events, NewEvent(*v, subject.LocaleChangedV1, localeChanged{
			Tenant:    v.Tenant.ID,
			Session:   v.Session.ID,
			From:      from,
			To:        language,
			RTLChange: from.Direction() != language.Direction(),
			ChangedAt: event.Time(now),
		}))
	}
	if from := v.chosenCurrency(); !c.IsZero() && from != currency {
		events = append(events, NewEvent(*v, subject.CurrencyChangedV1, currencyChanged{
			Tenant:    v.Tenant.ID,
			Session:   v.Session.ID,
			From:      from,
			To:        currency,
			Draft:     v.Session.Draft,
			ChangedAt: event.Time(now),
		}))
	}
	v.Locale, v.Currency = language, currency
	if !l.IsZero() {
		v.Session.Locale = language
	}
	if !c.IsZero() {
		v.Session.Currency = currency
	}
	return events, nil
}

// chosenCurrency returns the currency that the guest has chosen, or the tenant's. It ignores X-Currency, which the client sets.
func (v *Visitor) chosenCurrency() money.Currency {
	if slices.Contains(v.Tenant.Currencies, v.Session.Currency) {
		return v.Session.Currency
	}
	return v.Tenant.Currency
}

// Save stores the visitor's session; was is the session as the request found it. Unlike KeepAlive it returns an error,
// because the guest has requested the change.
func (m *Manager) Save(ctx context.Context, v Visitor, was Session) error {
	return m.sessions.Save(ctx, v.Session, was)
}

// Preferences returns the language and the currency of a visit: those of the session, otherwise those that the browser
// requests and the tenant supports. A request for an unsupported one is not an error.
func Preferences(h http.Header, v Visitor) (locale.Tag, money.Currency) {
	language, currency := v.Session.Locale, v.Session.Currency
	if !slices.Contains(v.Tenant.Locales, language) {
		language = locale.Negotiate(strings.Join(h.Values("Accept-Language"), ","), v.Tenant.Locales)
	}
	if asked := money.Currency(h.Get("X-Currency")); slices.Contains(v.Tenant.Currencies, asked) {
		return language, asked
	}
	if !slices.Contains(v.Tenant.Currencies, currency) {
		currency = v.Tenant.Currency
	}
	return language, currency
}
