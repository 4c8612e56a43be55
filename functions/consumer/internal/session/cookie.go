package session

import (
	"net/http"
	"strings"
	"time"

	"melmastoon.ghasi.io/functions/consumer/internal/search"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/fn"
)

// cookieName is the name of the session cookie.
const cookieName = "gms_id"

// FromCookie returns the session id in the request's cookie, and whether its signature is valid.
func (s *Sessions) FromCookie(r *http.Request) (id.GuestSession, bool) {
	for _, c := range r.CookiesNamed(cookieName) {
		if session, ok := s.verify(c.Value); ok {
			return session, true
		}
	}
	return id.GuestSession{}, false
}

// Cookie returns the cookie of a session. Its path is Base, so browsers do not send it to other services. It is Secure unless
// the site is plain HTTP on loopback, where browsers reject secure cookies.
func (s *Sessions) Cookie(session id.GuestSession, at fn.Site) (*http.Cookie, error) {
	value, err := s.sign(session)
	return &http.Cookie{
		Name: cookieName, Value: value, Path: search.Base, MaxAge: int(sessionTTL / time.Second),
		HttpOnly: true, Secure: !at.Plain, SameSite: http.SameSiteLaxMode,
	}, err
}

// sign returns the cookie's value: the session id, the key's id and an authentication tag. A session id alone gives no access.
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
