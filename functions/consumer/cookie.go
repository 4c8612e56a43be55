package consumer

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"strings"
	"time"

	"melmastoon.ghasi.io/shared/fn"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/keyring"
)

// cookieName is what the session's cookie is called.
const cookieName = "gms_id"

// tagSize is 128 bits: nobody guesses that.
const tagSize = 16

// FromCookie is the session that the request's cookie names, if it was signed here.
func (s *Sessions) FromCookie(r *http.Request) (id.GuestSession, bool) {
	for _, c := range r.CookiesNamed(cookieName) {
		if session, ok := s.verify(c.Value); ok {
			return session, true
		}
	}
	return id.GuestSession{}, false
}

// Cookie is the cookie of a session. Its path is this service's: no other is sent it. Over plain HTTP on loopback browsers
// refuse secure cookies.
func (s *Sessions) Cookie(session id.GuestSession, at fn.Site) (*http.Cookie, error) {
	value, err := s.sign(session)
	return &http.Cookie{
		Name: cookieName, Value: value, Path: Base, MaxAge: int(sessionTTL / time.Second),
		HttpOnly: true, Secure: !at.Plain, SameSite: http.SameSiteLaxMode,
	}, err
}

// sign is the cookie's value: the session, the key's id and a tag. An id seen in telemetry opens nothing.
func (s *Sessions) sign(session id.GuestSession) (string, error) {
	key, secret := s.keys.Active()
	if secret == nil {
		return "", keyring.ErrEmpty
	}
	return session.String() + "." + key + "." + base64.RawURLEncoding.EncodeToString(tag(secret, session.String())), nil
}

func (s *Sessions) verify(value string) (none id.GuestSession, ok bool) {
	name, rest, _ := strings.Cut(value, ".")
	key, given, _ := strings.Cut(rest, ".")
	session, err := id.Parse[id.GuestSession](name)
	secret, known := s.keys.Find(key)
	sent, decode := base64.RawURLEncoding.Strict().DecodeString(given)
	if err != nil || !known || decode != nil || !hmac.Equal(sent, tag(secret, name)) {
		return none, false
	}
	return session, true
}

// tag is a keyed hash of the session's name.
func tag(secret []byte, session string) []byte {
	mac := hmac.New(sha256.New, secret)
	mac.Write([]byte(cookieName + "\n" + session))
	return mac.Sum(nil)[:tagSize]
}
