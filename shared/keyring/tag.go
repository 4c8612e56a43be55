package keyring

import (
	"crypto/hmac"
	"encoding/base64"
	"strings"
)

// tagSize is 128 bits: nobody guesses that.
const tagSize = 16

// Tag returns an authentication tag of the parts: the active key's id, ".", and 128 bits of their HMAC-SHA256 in base64url.
// The first part names the purpose, so that a tag for one is worthless for another. No part may hold a line feed. An empty
// ring is ErrEmpty.
func (r Ring) Tag(parts ...string) (string, error) {
	if len(r.keys) == 0 {
		return "", ErrEmpty
	}
	k := r.keys[0]
	return k.id + "." + base64.RawURLEncoding.EncodeToString(k.tag(parts)), nil
}

// Tagged reports whether Tag made that tag of those parts, with the active key or one in its grace period.
func (r Ring) Tagged(tag string, parts ...string) bool {
	id, encoded, _ := strings.Cut(tag, ".")
	sum, known := r.Sum(id, text(parts))
	// Texts are compared, not what they decode to: decoders ignore line feeds, so one tag would have many spellings.
	return known && hmac.Equal([]byte(encoded), []byte(base64.RawURLEncoding.EncodeToString(sum[:tagSize])))
}

func (k key) tag(parts []string) []byte {
	sum := k.sum(text(parts))
	return sum[:tagSize]
}

func text(parts []string) []byte { return []byte(strings.Join(parts, "\n")) }
