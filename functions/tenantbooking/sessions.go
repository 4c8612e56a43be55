package tenantbooking

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"strings"
	"time"

	"melmastoon.ghasi.io/shared/document"
	"melmastoon.ghasi.io/shared/env"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/keyring"
)

// Sessions knows sessions by their cookies and keeps them as hot documents.
type Sessions struct {
	keys keyring.Ring
	docs document.Collection[Session]
	now  func() time.Time
}

// OpenSessions opens the store.
func OpenSessions(e env.Env) (*Sessions, error) {
	var c struct {
		Keys keyring.Ring `env:"TENANT_SESSION_KEYS,required"`
	}
	if err := e.Load(&c); err != nil {
		return nil, fmt.Errorf("sessions: %w", err)
	}
	return &Sessions{c.Keys, document.Open[Session](e, "tnt-session"), e.Now}, nil
}

// tagSize is 128 bits: nobody guesses that.
const tagSize = 16

// sign is the cookie's value: the session, the key's id and a tag that covers the hotel too. An id seen in telemetry opens
// nothing.
func (s *Sessions) sign(session id.TenantSession, t id.Tenant) (string, error) {
	key, secret := s.keys.Active()
	if secret == nil {
		return "", keyring.ErrEmpty
	}
	return session.String() + "." + key + "." + base64.RawURLEncoding.EncodeToString(tag(secret, "tnt_id", t.String(), session.String())), nil
}

func (s *Sessions) verify(value string, t id.Tenant) (none id.TenantSession, ok bool) {
	name, rest, _ := strings.Cut(value, ".")
	key, given, _ := strings.Cut(rest, ".")
	session, err := id.Parse[id.TenantSession](name)
	secret, known := s.keys.Find(key)
	sent, decode := base64.RawURLEncoding.Strict().DecodeString(given)
	if err != nil || !known || decode != nil || !hmac.Equal(sent, tag(secret, "tnt_id", t.String(), name)) {
		return none, false
	}
	return session, true
}

// tag is a keyed hash of parts, none of which may hold a line feed.
func tag(secret []byte, parts ...string) []byte {
	mac := hmac.New(sha256.New, secret)
	mac.Write([]byte(strings.Join(parts, "\n")))
	return mac.Sum(nil)[:tagSize]
}
