// Package attribution reads the campaign and the device class of a visit from its requests.
package attribution

import (
	"net/http"
	"regexp"
	"strings"
	"sync"
	"unicode"

	"melmastoon.ghasi.io/shared/event"
)

// A Campaign is the campaign that brought a guest, as named in links. It is unsigned and untrusted.
type Campaign event.Attributed

// Or returns c if it is set, and other otherwise: a later campaign does not replace the first.
func (c Campaign) Or(other Campaign) Campaign {
	if c == (Campaign{}) {
		return other
	}
	return c
}

// Attributed returns the campaign in the form of events, or nil if there is no campaign.
func (c Campaign) Attributed() *event.Attributed {
	if c == (Campaign{}) {
		return nil
	}
	a := event.Attributed(c)
	return &a
}

// CampaignOf returns the campaign named in a request.
func CampaignOf(h http.Header) Campaign {
	return Campaign{
		Source:   Plain(h.Get("X-Campaign-Source")),
		Medium:   Plain(h.Get("X-Campaign-Medium")),
		Campaign: Plain(h.Get("X-Campaign-Name")),
	}
}

// maxLength bounds the untrusted texts in events.
const maxLength = 100

// Plain returns the text without surrounding spaces, or "" if it is longer than 100 bytes, has non-printing characters, or is
// [Personal].
func Plain(s string) string {
	if len(s) > maxLength || Personal(s) || strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) || r == unicode.ReplacementChar }) {
		return ""
	}
	return strings.TrimSpace(s)
}

// reachable matches contact and payment data: an e-mail address, also an escaped one, an international telephone number, and a
// card number.
var reachable = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)@|＠|%(25)*40|(\+|%(25)*2B|\b00)\d[\d\s().-]{6,}|\d([ -]?\d){12}`)
})

// Personal reports whether a text seems to contain contact or payment data, which some links do. It cannot detect names;
// therefore only campaign parameters are copied into events.
func Personal(s string) bool { return reachable().MatchString(s) }
