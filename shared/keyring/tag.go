package keyring

import (
	"crypto/hmac"
	"encoding/base64"
	"strings"
)

// tagSize is 128 bits, which cannot be guessed.
const tagSize = 16

// Tag returns an authentication tag of the parts: the active key's id, ".", and 128 bits of their HMAC-SHA256 in base64url. The
// first part names the purpose, so that a tag is not valid for another one. No part may contain a line feed. For an empty ring
// it returns ErrEmpty.
func (r Ring) Tag(parts ...string) (string, error) {
	if len(r.keys) == 0 {
		return "", ErrEmpty
	}
	k := r.keys[0]
	return k.id + "." + base64.RawURLEncoding.EncodeToString(k.tag(parts)), nil
}

// Tagged reports whether the tag was made by Tag of those parts, with the active key or one in its grace period.
func (r Ring) Tagged(tag string, parts ...string) bool {
	id, encoded, _ := strings.Cut(tag, ".")
	sum, known := r.Sum(id, text(parts))
	// The encoded texts are compared: decoders ignore line feeds, so a decoded tag would have several spellings.
	return known && hmac.Equal([]byte(encoded), []byte(base64.RawURLEncoding.EncodeToString(sum[:tagSize])))
}

func (k key) tag(parts []string) []byte {
	sum := k.sum(text(parts))
	return sum[:tagSize]
}

func text(parts []string) []byte { return []byte(strings.Join(parts, "\n")) }
