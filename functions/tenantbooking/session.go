package tenantbooking

import (
	"net/http"
	"net/url"
	"strings"
	"time"

	"melmastoon.ghasi.io/shared/event/attribution"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/locale"
	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/platform/fn"
)

// A Session is an anonymous visit of one hotel's site, over days. It is kept as a hot document only: when that is lost, the
// signed cookie still says whose it is, and the session begins again with what the browser says.
type Session struct {
	ID          id.TenantSession     `json:"sessionId"`
	Tenant      id.Tenant            `json:"tenantId"`
	Version     int64                `json:"version"`
	CreatedAt   time.Time            `json:"createdAt"`
	LastSeenAt  time.Time            `json:"lastSeenAt"`
	Locale      locale.Tag           `json:"localePreference,omitzero"` // empty: the browser's
	Currency    money.Currency       `json:"displayCurrency,omitzero"`  // empty: the hotel's
	Campaign    attribution.Campaign `json:"marketingAttribution"`
	Draft       *id.Draft            `json:"activeBookingDraftId"`
	Arrival     *id.HandoffArrival   `json:"handoffArrivalId"` // how the guest came, if from the consumer site
	Consent     Consent              `json:"consentFlags"`
	Fingerprint string               `json:"fingerprintHash"`
	IP          string               `json:"ipHash"`
	Device      attribution.Device   `json:"deviceClass"`
	RevokedAt   time.Time            `json:"revokedAt,omitzero"` // from then on its cookies open nothing
	Successor   *id.TenantSession    `json:"successor,omitzero"` // the id by which its guest goes on since they were named

	passing bool // begun by a program's first call: it is not written, unless the guest arrives by a handoff
}

// unwritten reports whether nothing of the session is stored or published. Its cookie is valid: it begins again with the next call.
func (s Session) unwritten() bool { return s.passing && s.Arrival == nil }

// Consent is what a guest has agreed to.
type Consent struct {
	Telemetry  bool `json:"telemetry"`
	Functional bool `json:"functional"`
}

// Begin returns birth with an id of its own, as version 1.
func Begin(birth Session) Session {
	birth.ID = id.New[id.TenantSession]()
	birth.Version = 1
	return birth
}

// onto is the newer state of a session with what this visit has changed in the one that it began from.
func (s Session) onto(newer, was Session) Session {
	carry(&newer.Locale, was.Locale, s.Locale)
	carry(&newer.Currency, was.Currency, s.Currency)
	carry(&newer.Campaign, was.Campaign, s.Campaign)
	carry(&newer.Draft, was.Draft, s.Draft)
	carry(&newer.Arrival, was.Arrival, s.Arrival)
	carry(&newer.Consent, was.Consent, s.Consent)
	return newer
}

func carry[T comparable](into *T, was, is T) {
	if is != was {
		*into = is
	}
}

// anonymous is the session without what ties it to a person: how they came, and by what they could be known again. What
// they have chosen stays.
func (s Session) anonymous(since time.Time) Session {
	s.Campaign, s.Draft, s.Arrival, s.Fingerprint, s.IP = attribution.Campaign{}, nil, nil, "", ""
	s.RevokedAt = since
	return s
}

// birthOf is the session that this request would begin, but for its id.
func birthOf(r *http.Request, t Tenant) Session {
	silent := r.Header.Get("DNT") == "1" || r.Header.Get("Sec-GPC") == "1"
	return Session{
		Tenant: t.ID, Campaign: attribution.CampaignOf(r.Header), Device: deviceOf(r.Header),
		Consent: Consent{Telemetry: !silent, Functional: true},
	}
}

// Birth is the session that a call would begin, but for its id.
func Birth(v Visitor, h http.Header, now time.Time) Session {
	born := birthOf(&http.Request{Header: h}, v.Tenant)
	born.CreatedAt, born.LastSeenAt = now, now
	return born
}

// sessionTTL is how long a session lives on after it was seen last.
const sessionTTL = 30 * 24 * time.Hour

// The names of the session's cookie: on a host that several hotels share, on a hotel's own, and over plain HTTP. Where hosts are shared, its
// path rules out __Host-, so that another host of our domain can plant a cookie: see Renamed.
const (
	sharedCookie = "__Secure-tnt_id"
	ownCookie    = "__Host-tnt_id"
	plainCookie  = "tnt_id"
)

// A Pass is what a valid cookie says: the session, and when the cookie was issued. It is good for sessionTTL from then.
type Pass struct {
	Session  id.TenantSession
	IssuedAt time.Time
}

// renewal is the age from which a cookie is replaced by a new one, so that a session in use does not end.
const renewal = 24 * time.Hour

// FromCookie returns the Pass of the request's cookie. ok is false unless the cookie was signed here for that hotel, and has
// not expired. Of several the one issued last counts: one that was planted stays in the browser beside that of the named guest.
func (s *Sessions) FromCookie(r *http.Request, t id.Tenant, at fn.Site) (pass Pass, ok bool) {
	for _, c := range r.CookiesNamed(cookieAt(at)) {
		if found, valid := s.verify(c.Value, t); valid && !found.IssuedAt.Before(pass.IssuedAt) {
			pass, ok = found, true
		}
	}
	return pass, ok
}

// cookieAt is what the cookie is called there. On a hotel's own host no other name counts: a neighbouring host can have a
// browser send a cookie of any name but one with that prefix.
func cookieAt(at fn.Site) string {
	switch {
	case at.Plain:
		return plainCookie
	case at.Own:
		return ownCookie
	}
	return sharedCookie
}

// Cookie is the cookie of a visitor's session. On a host of the hotel's own it is bound to that host; on a shared one its path
// keeps it from the other hotels, and begins as the browser's own calls do: it is not sent with any other. Over plain HTTP on
// loopback browsers refuse secure cookies.
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
