package session

import (
	"net/http"
	"time"

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
	program bool            // a program without a cookie: nothing is stored for it
	crawler bool            // a known crawler: it gets no cookie either
	silent  bool            // the headers have DNT: 1 or Sec-GPC: 1
}

// IsNewProgram reports whether the visitor is a program, not a browser, and has not sent a session cookie yet.
func (v Visitor) IsNewProgram() bool { return v.program || v.crawler }

// IsCrawler reports whether the visitor is a known crawler.
func (v Visitor) IsCrawler() bool { return v.crawler }

// CookieSession returns the session that the request's cookie names, which may be unknown. It is zero without a valid cookie.
func (v Visitor) CookieSession() id.GuestSession { return v.known }

// StoredSession returns the id of the visitor's session, or nil if it is not stored.
func (v Visitor) StoredSession() *id.GuestSession {
	if v.Session.ID.IsZero() || v.Session.isNew || v.Session.temporary {
		return nil
	}
	return &v.Session.ID
}

// AsProgram returns the visitor as a program: its session is for this request only.
func (v Visitor) AsProgram() Visitor {
	v.program, v.Session.temporary = true, true
	return v
}

// Deferred returns the visitor with a session for this request only. The request that returns its cookie starts the session.
func (v Visitor) Deferred() Visitor {
	v.Session.temporary = true
	return v
}

// AsCrawler returns the visitor as a known crawler: its session is for this request only, and it gets no cookie.
func (v Visitor) AsCrawler() Visitor {
	v.crawler, v.Session.temporary = true, true
	return v
}

// AsHuman returns the visitor as one who has passed a challenge, also if its browser looks like a program.
func (v Visitor) AsHuman(until time.Time) Visitor {
	v.program, v.Session.temporary, v.Session.HumanUntil = false, false, until
	return v
}

// WithSession returns the visitor with another session, or another version of it.
func (v Visitor) WithSession(session Session) Visitor {
	v.Session, v.Session.silent = session, v.silent
	return v
}

// Event returns a draft of an event of the visitor's session.
func (v Visitor) Event(s event.Subject, payload any) event.Draft {
	d := v.Session.Event(s, payload)
	d.Attribution = v.Campaign.Attributed()
	return d
}

// visitorWith returns the visitor with a session.
func (s *browser) visitorWith(session Session, r *http.Request) Visitor {
	v := s.visitor
	v = v.WithSession(session)
	v.browser = s
	v.Locale, v.Currency = localeAndCurrency(r.Header, v)
	v.Campaign = session.Campaign.Or(v.Campaign)
	return v
}
