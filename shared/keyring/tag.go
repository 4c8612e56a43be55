package keyring

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"strings"
)

// tagSize is 128 bits: nobody guesses that.
const tagSize = 16

// Tag shows that parts were put together by somebody who has the ring: the active key's id, ".", and 128 bits of their
// HMAC-SHA256 in base64url. The first part says what for. No part may hold a line feed.
func (r Ring) Tag(parts ...string) (string, error) {
	id, secret := r.Active()
	if secret == nil {
		return "", ErrEmpty
	}
	return id + "." + base64.RawURLEncoding.EncodeToString(hash(secret, parts)), nil
}

// Tagged reports whether Tag made that tag of those parts, with the active key or one in its grace period.
func (r Ring) Tagged(tag string, parts ...string) bool {
	id, encoded, _ := strings.Cut(tag, ".")
	secret, known := r.Find(id)
	given, err := base64.RawURLEncoding.Strict().DecodeString(encoded)
	return known && err == nil && hmac.Equal(given, hash(secret, parts))
}

func hash(secret []byte, parts []string) []byte {
	mac := hmac.New(sha256.New, secret)
	mac.Write([]byte(strings.Join(parts, "\n")))
	return mac.Sum(nil)[:tagSize]
}
