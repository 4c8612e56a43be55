// Package attribution reads the campaign and the device class of a visit from its requests.
package attribution

import (
	"net/http"
	"strings"
	"unicode"

	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/freetext"
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

// Plain returns the text without surrounding spaces, or "" if it is longer than 100 bytes, has other non-printing characters than joiners, or contains
// contact or payment data, as some links do. It cannot detect names; therefore only campaign parameters are copied into events.
func Plain(s string) string {
	hidden := func(r rune) bool {
		return !unicode.IsPrint(r) && r != '\u200c' && r != '\u200d' || r == unicode.ReplacementChar
	}
	if len(s) > maxLength || freetext.Reaches(s) || strings.ContainsFunc(s, hidden) {
		return ""
	}
	return strings.TrimSpace(s)
}
