// Package attribution is what a request shows of the visit that it belongs to: the campaign that brought it, and what it is made with.
package attribution

import (
	"net/http"
	"regexp"
	"strings"
	"sync"
	"unicode"

	"melmastoon.ghasi.io/shared/event"
)

// A Campaign is what brought a guest, as its links say. It is unsigned and believed by nobody.
type Campaign event.Attributed

// Or is the campaign that came first: a later one does not take over a visit.
func (c Campaign) Or(other Campaign) Campaign {
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

// CampaignOf is the campaign that a request names.
func CampaignOf(h http.Header) Campaign {
	return Campaign{
		Source:   Plain(h.Get("X-Campaign-Source")),
		Medium:   Plain(h.Get("X-Campaign-Medium")),
		Campaign: Plain(h.Get("X-Campaign-Name")),
	}
}

// maxLength bounds what strangers can have written into events.
const maxLength = 100

// Plain returns the text without spaces around it, or "" if it is longer than 100 bytes, has characters that do not print, or
// is [Personal].
func Plain(s string) string {
	if len(s) > maxLength || Personal(s) || strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) || r == unicode.ReplacementChar }) {
		return ""
	}
	return strings.TrimSpace(s)
}

// reachable is how people can be reached, or paid with: an e-mail address, also one that is escaped, an international telephone
// number, and a card's number.
var reachable = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)@|＠|%(25)*40|(\+|%(25)*2B|\b00)\d[\d\s().-]{6,}|\d([ -]?\d){12}`)
})

// Personal reports whether a text seems to hold somebody's address or number: links are made by people and programs that put
// them there. Names it cannot know: what reaches events is therefore only ever what a campaign is called.
func Personal(s string) bool { return reachable().MatchString(s) }
