package consumer

import (
	"net/http"
	"slices"
	"strings"
	"time"

	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/locale"
	"melmastoon.ghasi.io/shared/money"
)

// Locales are the languages of the site. The first is for whoever says nothing that is known here.
func Locales() []locale.Tag {
	return []locale.Tag{locale.English, locale.Pashto, locale.Dari, locale.Persian, locale.Urdu, locale.Arabic}
}

// ChooseLocale is for a language that somebody named: the site is in it, or that is refused.
func ChooseLocale(wanted locale.Tag) (locale.Tag, error) {
	if !slices.Contains(Locales(), wanted) {
		return "", ErrLocaleNotSupported
	}
	return wanted, nil
}

// ChooseCurrency is for a currency that somebody named: prices are shown in it, or that is refused.
func ChooseCurrency(wanted money.Code) (c money.Currency, err error) {
	if c.UnmarshalText([]byte(wanted)) != nil {
		return "", ErrCurrencyNotSupported
	}
	return c, nil
}

// A Trigger is what made a preference what it is.
type Trigger string

// The triggers.
const (
	ByGuest    Trigger = "user-explicit"
	ByLanguage Trigger = "accept-language"
	ByCountry  Trigger = "geo-ip"
	ByDefault  Trigger = "tenant-default"
)

// firstLanguage is the language that a visit begins in: one that the browser accepts, else that of the country it comes from.
func firstLanguage(h http.Header, country string) (locale.Tag, Trigger) {
	accepted, offered := acceptLanguage(h), Locales()
	spoken, known := languageOf(country)
	if !known {
		return locale.Negotiate(accepted, offered), ByLanguage
	}
	// Whatever stands first is chosen where the browser names nothing that is offered: two orders tell whether it did.
	first := slices.Concat([]locale.Tag{spoken}, offered)
	chosen := locale.Negotiate(accepted, first)
	if chosen == spoken && locale.Negotiate(accepted, offered) != spoken {
		return spoken, ByCountry
	}
	return chosen, ByLanguage
}

// accepted returns the language that the browser accepts now. It is the session's own if its guest chose it, or if the browser
// names none that is offered: a server that calls for a browser often names none.
func (s Session) accepted(h http.Header) locale.Tag {
	if s.LocaleBy == ByGuest {
		return s.Locale
	}
	return locale.Negotiate(acceptLanguage(h), slices.Concat([]locale.Tag{s.Locale}, Locales()))
}

func acceptLanguage(h http.Header) string { return strings.Join(h.Values("Accept-Language"), ",") }

// languageOf is what the site is read in there.
func languageOf(country string) (locale.Tag, bool) {
	switch country {
	case "AF":
		return locale.Pashto, true
	case "IR":
		return locale.Persian, true
	case "PK":
		return locale.Urdu, true
	case "AE", "SA", "QA", "KW", "BH", "OM":
		return locale.Arabic, true
	}
	return "", false
}

// firstCurrency is the currency that a visit begins with: that of the country it comes from, else that of the language's.
func firstCurrency(country string, language locale.Tag) (money.Currency, Trigger) {
	if c, known := currencyOf(country); known {
		return c, ByCountry
	}
	_, region, _ := strings.Cut(string(language), "-")
	if c, known := currencyOf(region); known {
		return c, ByDefault
	}
	return money.USD, ByDefault
}

// currencyOf is what prices are thought of in there.
func currencyOf(country string) (money.Currency, bool) {
	switch country {
	case "AF":
		return money.AFN, true
	case "IR":
		return money.IRR, true
	case "PK":
		return money.PKR, true
	case "AE":
		return money.AED, true
	case "GB":
		return money.GBP, true
	case "US":
		return money.USD, true
	case "AT", "BE", "BG", "CY", "DE", "EE", "ES", "FI", "FR", "GR", "HR", "IE", "IT", "LT", "LU", "LV", "MT", "NL", "PT", "SI", "SK":
		return money.EUR, true
	}
	return "", false
}

// prefers is the language and the currency of one call: the session's, and another currency where the call asks for one
// that prices are shown in. A wish that cannot be met is no error.
func prefers(h http.Header, v Visitor) (locale.Tag, money.Currency) {
	var language locale.Tag
	currency := v.Session.Currency
	if v.Session.ID.IsZero() {
		language, _ = firstLanguage(h, v.Country)
		currency, _ = firstCurrency(v.Country, language)
	} else {
		language = v.Session.accepted(h)
	}
	if wished, err := ChooseCurrency(money.Code(h.Get("X-Currency"))); err == nil {
		currency = wished
	}
	return language, currency
}

// ReadIn has the session read another language from now on, and tells of it if it is another.
func (s *Session) ReadIn(language locale.Tag, by Trigger, now time.Time) []event.Draft {
	before := s.Locale
	s.Locale, s.LocaleBy = language, by
	if before == language {
		return nil
	}
	return []event.Draft{s.Event(LocaleChangedV1, localeChanged{
		Session:    s.ID,
		Previous:   before,
		New:        language,
		Trigger:    by,
		OccurredAt: now,
	})}
}

// renegotiate has the session read the language that the browser accepts now, and tells of it if it is another.
func (s *Session) renegotiate(h http.Header, now time.Time) []event.Draft {
	language := s.accepted(h)
	if language == s.Locale {
		return nil // what made it the session's stays as it is
	}
	return s.ReadIn(language, ByLanguage, now)
}

// PriceIn has the session see prices in another currency from now on, and tells of it if it is another.
func (s *Session) PriceIn(currency money.Currency, by Trigger, now time.Time) []event.Draft {
	before := s.Currency
	s.Currency, s.CurrencyBy = currency, by
	if before == currency {
		return nil
	}
	return []event.Draft{s.Event(CurrencyChangedV1, currencyChanged{
		Session:    s.ID,
		Previous:   before,
		New:        currency,
		Trigger:    by,
		OccurredAt: now,
	})}
}
