package session

import (
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"melmastoon.ghasi.io/functions/tenantbooking/internal/hotel"
	"melmastoon.ghasi.io/shared/event/attribution"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/locale"
	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/platform/fn"
)

// A Session is an anonymous visit to one hotel's site, over several days. It is stored as a hot document only. If the
// document is lost, the signed cookie still identifies the session, and its preferences start again from the request's
// headers.
type Session struct {
	ID          id.TenantSession     `json:"sessionId"`
	Tenant      id.Tenant            `json:"tenantId"`
	Version     int64                `json:"version"`
	CreatedAt   time.Time            `json:"createdAt"`
	LastSeenAt  time.Time            `json:"lastSeenAt"`
	Locale      locale.Tag           `json:"localePreference,omitzero"` // empty: the browser's language
	Currency    money.Currency       `json:"displayCurrency,omitzero"`  // empty: the hotel's currency
	Campaign    attribution.Campaign `json:"marketingAttribution"`
	Loyalty     *jsontext.Value      `json:"loyaltyContext"` // always null in this release; a value of a newer release is kept
	Draft       *id.Draft            `json:"activeBookingDraftId"`
	Arrival     *id.HandoffArrival   `json:"handoffArrivalId"` // the handoff by which the guest came, if any
	Consent     Consent              `json:"consentFlags"`
	Fingerprint string               `json:"fingerprintHash"`
	IP          string               `json:"ipHash"`
	Device      attribution.Device   `json:"deviceClass"`
	RevokedAt   time.Time            `json:"revokedAt,omitzero"` // the session's cookies are invalid from this time
	Successor   *id.TenantSession    `json:"successor,omitzero"` // the id of the session after the guest's details were set

	program  bool // begun by a program's first call: not stored, unless the guest arrives by a handoff
	optedOut bool // the headers of this call decline telemetry; not stored
}

// WithSignals returns the session with the privacy signals of a call. They apply to that call only and are not stored.
func (s Session) WithSignals(h http.Header) Session {
	s.optedOut = declines(h)
	return s
}

// Silent reports whether the call must not publish telemetry: the session has no consent, or the headers decline it.
func (s Session) Silent() bool { return !s.Consent.Telemetry || s.optedOut }

// declines reports whether the headers decline telemetry (Do Not Track, Global Privacy Control).
func declines(h http.Header) bool { return h.Get("DNT") == "1" || h.Get("Sec-GPC") == "1" }

// notStored reports whether the session is neither stored nor published. Its cookie is valid: the next call with it
// stores the session.
func (s Session) notStored() bool { return s.program && s.Arrival == nil }

// Consent is the guest's consent to telemetry and functional storage.
type Consent struct {
	Telemetry  bool `json:"telemetry"`
	Functional bool `json:"functional"`
}

// Begin returns the session with a new id, as version 1.
func Begin(s Session) Session {
	s.ID = id.New[id.TenantSession]()
	s.Version = 1
	return s
}

// mergeInto returns the newer stored session with the changes that this request has made since was.
func (s Session) mergeInto(newer, was Session) Session {
	merge(&newer.Locale, was.Locale, s.Locale)
	merge(&newer.Currency, was.Currency, s.Currency)
	merge(&newer.Campaign, was.Campaign, s.Campaign)
	newer.Draft = s.mergedDraft(newer.Draft, was.Draft)
	merge(&newer.Arrival, was.Arrival, s.Arrival)
	merge(&newer.Consent, was.Consent, s.Consent)
	return newer
}

// mergedDraft returns the active draft after applying this request's change to the newer session. A request clears only
// the draft that it has read, not one that a concurrent request has started.
func (s Session) mergedDraft(newer, was *id.Draft) *id.Draft {
	if s.Draft == was || s.Draft == nil && newer != nil && *newer != *was {
		return newer
	}
	return s.Draft
}

func merge[T comparable](into *T, was, is T) {
	if is != was {
		*into = is
	}
}

// anonymous returns the session without loyalty context and hashes. Campaign, arrival and draft stay: they identify no
// person, and a booking in progress needs them.
func (s Session) anonymous(since time.Time) Session {
	s.Loyalty, s.Fingerprint, s.IP = nil, "", ""
	s.RevokedAt = since
	return s
}

// FromHeaders returns the session that a request with these headers would begin, without an id.
func FromHeaders(t hotel.Tenant, h http.Header) Session {
	return Session{
		Tenant: t.ID, Campaign: attribution.CampaignOf(h), Device: DeviceOf(h),
		Consent: Consent{Telemetry: !declines(h), Functional: true},
	}
}

// sessionTTL is how long a session is kept after its last use.
const sessionTTL = 30 * 24 * time.Hour

// Names of the session's cookie: on a host that several hotels share, on a hotel's own host, and over plain HTTP. On a
// shared host the cookie has a path, which rules out __Host-, so another host of the same domain can plant a cookie. See
// Renamed.
const (
	sharedCookie = "__Secure-tnt_id"
	ownCookie    = "__Host-tnt_id"
	plainCookie  = "tnt_id"
)

// A CookieValue is the content of a valid cookie: the session, and when the cookie was issued. It is valid for sessionTTL from
// then.
type CookieValue struct {
	Session  id.TenantSession
	IssuedAt time.Time
}

// renewal is the age at which a cookie is replaced, so that a session in use does not end.
const renewal = 24 * time.Hour

// NeedsRenewal reports whether the cookie should be replaced.
func (p CookieValue) NeedsRenewal(now time.Time) bool { return now.Sub(p.IssuedAt) >= renewal }

// FromCookie returns the CookieValue of the request's cookie. ok is false unless the cookie was signed by this service for that
// tenant and has not expired. If there are several valid cookies, the one issued last counts: a planted cookie stays in
// the browser beside the new one.
func (s *Sessions) FromCookie(r *http.Request, t id.Tenant, at fn.Site) (pass CookieValue, ok bool) {
	for _, c := range r.CookiesNamed(cookieAt(at)) {
		if found, valid := s.verify(c.Value, t); valid && !found.IssuedAt.Before(pass.IssuedAt) {
			pass, ok = found, true
		}
	}
	return pass, ok
}

// cookieAt returns the name of the cookie on that site. On a hotel's own host only the __Host- name counts: another host
// of the domain can set a cookie with any name without that prefix.
func cookieAt(at fn.Site) string {
	switch {
	case at.Plain:
		return plainCookie
	case at.Own:
		return ownCookie
	}
	return sharedCookie
}

// Cookie returns the cookie of a visitor's session. On a hotel's own host it is bound to that host. On a shared host its
// path keeps it from other hotels; the path begins as in the browser's calls, because otherwise the browser does not
// send the cookie. Over plain HTTP on loopback the cookie is not marked secure, because browsers reject that.
func (s *Sessions) Cookie(v Visitor, at fn.Site) (*http.Cookie, error) {
	value, err := s.sign(v.Session.ID, v.Tenant.ID)
	c := &http.Cookie{
		Name: cookieAt(at), Value: value, Path: strings.ReplaceAll(Base, "{tenantSlug}", url.PathEscape(v.Called)),
		MaxAge: int(sessionTTL / time.Second), HttpOnly: true, Secure: !at.Plain, SameSite: http.SameSiteLaxMode,
	}
	if at.Own {
		c.Path = "/"
	}
	return c, err
}
