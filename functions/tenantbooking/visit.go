package tenantbooking

import (
	"net/http"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/locale"
	"melmastoon.ghasi.io/shared/money"
)

// A Campaign is what brought a guest, as its links say. It is unsigned and believed by nobody.
type Campaign event.Attributed

// or is the campaign that came first: a later one does not take over a visit.
func (c Campaign) or(other Campaign) Campaign {
	if c == (Campaign{}) {
		return other
	}
	return c
}

// Attributed is the campaign as events carry it, nil where there is none.
func (c Campaign) Attributed() *event.Attributed {
	if c == (Campaign{}) {
		return nil
	}
	a := event.Attributed(c)
	return &a
}

func campaignOf(h http.Header) Campaign {
	return Campaign{plain(h.Get("X-Campaign-Source")), plain(h.Get("X-Campaign-Medium")), plain(h.Get("X-Campaign-Name"))}
}

// longestPlain bounds what strangers can have written into events.
const longestPlain = 100

// plain is a header's text if it is short, printable and tells of nobody, else nothing.
func plain(s string) string {
	if len(s) > longestPlain || personal.MatchString(s) || strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) || r == unicode.ReplacementChar }) {
		return ""
	}
	return strings.TrimSpace(s)
}

// personal is what seems to hold somebody's address, telephone number or card: links are made by people and programs that put
// them there. Names it cannot know.
var personal = regexp.MustCompile(`(?i)@|＠|%(25)*40|(\+|%(25)*2B|\b00)\d[\d\s().-]{6,}|\d([ -]?\d){12}`)

// A Device is what a visit is made with.
type Device string

// The devices.
const (
	Desktop Device = "browser-desktop"
	Mobile  Device = "browser-mobile"
	IOS     Device = "mobile-app-ios"
	Android Device = "mobile-app-android"
)

// deviceOf believes an app that says it is one, and guesses about browsers.
func deviceOf(h http.Header) Device {
	agent := h.Get("User-Agent")
	apple := strings.Contains(agent, "iPhone") || strings.Contains(agent, "iPad") || strings.Contains(agent, "CFNetwork")
	app := strings.HasPrefix(h.Get("X-Client-Surface"), "mobile-")
	switch {
	case app && apple:
		return IOS
	case app:
		return Android
	case apple, strings.Contains(agent, "Mobile"), strings.Contains(agent, "Android"), h.Get("Sec-Ch-Ua-Mobile") == "?1":
		return Mobile
	}
	return Desktop
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
