package session

import (
	"net/http"
	"slices"
	"strings"
	"time"

	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/locale"
	"melmastoon.ghasi.io/shared/money"
)

// Locales returns the languages of the site. The first is the default.
func Locales() []locale.Tag {
	return []locale.Tag{locale.English, locale.Pashto, locale.Dari, locale.Persian, locale.Urdu, locale.Arabic}
}

// ChooseLocale returns the wanted language, or ErrLocaleNotSupported if the site does not have it.
func ChooseLocale(wanted locale.Tag) (locale.Tag, error) {
	if !slices.Contains(Locales(), wanted) {
		return "", ErrLocaleNotSupported
	}
	return wanted, nil
}

// ChooseCurrency returns the wanted currency, or ErrCurrencyNotSupported if prices cannot be shown in it.
func ChooseCurrency(wanted money.Code) (c money.Currency, err error) {
	if c.UnmarshalText([]byte(wanted)) != nil {
		return "", ErrCurrencyNotSupported
	}
	return c, nil
}

// A Trigger is the origin of a preference.
type Trigger string

// The triggers.
const (
	ByGuest    Trigger = "user-explicit"
	ByLanguage Trigger = "accept-language"
	ByCountry  Trigger = "geo-ip"
	ByDefault  Trigger = "tenant-default"
)

// firstLanguage returns the language of a new session: one that the browser accepts, else that of the visitor's country.
func firstLanguage(h http.Header, country string) (locale.Tag, Trigger) {
	accepted, offered := acceptLanguage(h, country), Locales()
	spoken, known := languageOf(country)
	if !known {
		return locale.Negotiate(accepted, offered), ByLanguage
	}
	// Negotiate returns the first offer if the browser accepts none. Two orders of the offers show whether it did.
	first := slices.Concat([]locale.Tag{spoken}, offered)
	chosen := locale.Negotiate(accepted, first)
	if chosen == spoken && locale.Negotiate(accepted, offered) != spoken {
		return spoken, ByCountry
	}
	return chosen, ByLanguage
}

// accepted returns the language that the browser accepts now. It returns the session's own if the guest chose it, or if the
// browser accepts no offered language: server-side rendering often sends no Accept-Language.
func (s Session) accepted(h http.Header, country string) locale.Tag {
	if s.LocaleBy == ByGuest {
		return s.Locale
	}
	return locale.Negotiate(acceptLanguage(h, country), slices.Concat([]locale.Tag{s.Locale}, Locales()))
}

// acceptLanguage returns the languages that the browser accepts. In Afghanistan, Persian without a region is Dari.
func acceptLanguage(h http.Header, country string) string {
	ranges := strings.Split(strings.Join(h.Values("Accept-Language"), ","), ",")
	for i, one := range ranges {
		name, weight, weighted := strings.Cut(one, ";")
		if country != "AF" || !strings.EqualFold(strings.TrimSpace(name), "fa") {
			continue
		}
		if ranges[i] = string(locale.Dari); weighted {
			ranges[i] += ";" + weight
		}
	}
	return strings.Join(ranges, ",")
}

// languageOf returns the site's main language in a country.
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

// firstCurrency returns the currency of a new session: that of the visitor's country, else that of the language's region.
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

// currencyOf returns the currency of a country.
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

// localeAndCurrency returns the language and currency of one call: those of the session, or the currency in X-Currency if it is
// supported. An unsupported X-Currency is ignored.
func localeAndCurrency(h http.Header, v Visitor) (locale.Tag, money.Currency) {
	var language locale.Tag
	currency := v.Session.Currency
	if v.Session.ID.IsZero() {
		language, _ = firstLanguage(h, v.Country)
		currency, _ = firstCurrency(v.Country, language)
	} else {
		language = v.Session.accepted(h, v.Country)
	}
	if wished, err := ChooseCurrency(money.Code(h.Get("X-Currency"))); err == nil {
		currency = wished
	}
	return language, currency
}

// SetLocale sets the session's language and returns an event if it has changed.
func (s *Session) SetLocale(language locale.Tag, by Trigger, now time.Time) []event.Draft {
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

// renegotiate sets the session's language to the one that the browser accepts now, and returns an event if it has changed.
func (s *Session) renegotiate(h http.Header, country string, now time.Time) []event.Draft {
	language := s.accepted(h, country)
	if language == s.Locale {
		return nil // keep the trigger
	}
	return s.SetLocale(language, ByLanguage, now)
}

// SetCurrency sets the session's currency and returns an event if it has changed.
func (s *Session) SetCurrency(currency money.Currency, by Trigger, now time.Time) []event.Draft {
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
