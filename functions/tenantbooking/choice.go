package tenantbooking

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"time"

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
	Turned    bool             `json:"isRtlChange"`
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

// Choose sets the language and the currency of the session, if given, and returns an event for each value that has
// changed. It returns ErrLocaleNotSupported or ErrCurrencyNotSupported if the tenant does not support a value.
func (v *Visitor) Choose(l fn.Maybe[locale.Tag], c fn.Maybe[money.Code], now time.Time) (events []event.Draft, err error) {
	language, currency := l.Or(v.Locale), money.Currency(c.Or(money.Code(v.Currency)))
	switch {
	case !slices.Contains(v.Tenant.Locales, language):
		return nil, ErrLocaleNotSupported
	case !slices.Contains(v.Tenant.Currencies, currency):
		return nil, ErrCurrencyNotSupported
	}
	if from := v.Locale; from != language {
		events = append(events, NewEvent(*v, LocaleChangedV1, localeChanged{
			Tenant:    v.Tenant.ID,
			Session:   v.Session.ID,
			From:      from,
			To:        language,
			Turned:    from.Direction() != language.Direction(),
			ChangedAt: at(now),
		}))
	}
	if from := v.Currency; from != currency {
		events = append(events, NewEvent(*v, CurrencyChangedV1, currencyChanged{
			Tenant:    v.Tenant.ID,
			Session:   v.Session.ID,
			From:      from,
			To:        currency,
			Draft:     v.Session.Draft,
			ChangedAt: at(now),
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

// Remember stores the visitor's session; was is the session as the request found it. Unlike Keep it returns an error,
// because the guest has requested the change.
func (s *Visits) Remember(ctx context.Context, v Visitor, was Session) error {
	return s.sessions.Keep(ctx, v.Session, was)
}

// asksFor returns the language of a request without a session: its query parameter, otherwise the one negotiated from
// Accept-Language.
func asksFor(named fn.Maybe[locale.Tag], h http.Header, t Tenant) (locale.Tag, error) {
	if l, ok := named.Get(); ok {
		if !slices.Contains(t.Locales, l) {
			return "", ErrLocaleNotSupported
		}
		return l, nil
	}
	return locale.Negotiate(strings.Join(h.Values("Accept-Language"), ","), t.Locales), nil
}
