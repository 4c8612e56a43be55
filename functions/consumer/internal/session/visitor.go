package session

import (
	"net/http"

	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/event/attribution"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/locale"
	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/pseudonym"
)

// A Visitor represents the anonymous caller of a request: the session, the locale and currency of the answer, and hashes of
// the browser's properties.
type Visitor struct {
	Session     Session // zero only in functions that do not start sessions
	Locale      locale.Tag
	Currency    money.Currency
	Campaign    attribution.Campaign
	Fingerprint pseudonym.Hash
	IP          pseudonym.Hash // "" if the address is unknown
	Agent       pseudonym.Hash
	Class       attribution.Device
	Referer     string // origin and path of the referring page
	Country     string // two letters from the load balancer's header; "" if unknown

	browser *browser        // set by the [Resolver]
	known   id.GuestSession // from a cookie with a valid signature, else zero
}

// IsNewProgram reports whether the visitor is a program, not a browser, and has not sent a session cookie yet.
func (v Visitor) IsNewProgram() bool { return v.Class == attribution.Other && v.known.IsZero() }

// Event returns a draft of an event of the visitor's session.
func (v Visitor) Event(s event.Subject, payload any) event.Draft {
	d := v.Session.Event(s, payload)
	d.Attribution = v.Campaign.Attributed()
	return d
}

// visitorWith returns the visitor with a session.
func (s *browser) visitorWith(session Session, r *http.Request) Visitor {
	v := s.visitor
	v.Session, v.browser = session, s
	v.Locale, v.Currency = localeAndCurrency(r.Header, v)
	v.Campaign = session.Campaign.Or(v.Campaign)
	return v
}
