package consumer

import (
	"net/http"
	"strings"
	"time"

	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/fn"
)

// cookieName is what the session's cookie is called.
const cookieName = "gms_id"

// FromCookie is the session that the request's cookie names, if it was signed here.
func (s *Sessions) FromCookie(r *http.Request) (id.GuestSession, bool) {
	for _, c := range r.CookiesNamed(cookieName) {
		if session, ok := s.verify(c.Value); ok {
			return session, true
		}
	}
	return id.GuestSession{}, false
}

// Cookie is the cookie of a session. Its path is this service's, so no other service is sent it. It is Secure unless the site is
// plain HTTP on loopback, where browsers refuse secure cookies.
func (s *Sessions) Cookie(session id.GuestSession, at fn.Site) (*http.Cookie, error) {
	value, err := s.sign(session)
	return &http.Cookie{
		Name: cookieName, Value: value, Path: Base, MaxAge: int(sessionTTL / time.Second),
		HttpOnly: true, Secure: !at.Plain, SameSite: http.SameSiteLaxMode,
	}, err
}

// sign is the cookie's value: the session, the key's id and a tag. An id seen in telemetry opens nothing.
func (s *Sessions) sign(session id.GuestSession) (string, error) {
	tag, err := s.keys.Tag(cookieName, session.String())
	return session.String() + "." + tag, err
}

func (s *Sessions) verify(value string) (none id.GuestSession, ok bool) {
	name, tag, _ := strings.Cut(value, ".")
	session, err := id.Parse[id.GuestSession](name)
	if err != nil || !s.keys.Tagged(tag, cookieName, name) {
		return none, false
	}
	return session, true
}
