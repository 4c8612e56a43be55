// Package keyring holds secret keys by id: the first is active, the others are in their grace period.
//
// To rotate, append the new key; when every process has it, move it to the front; remove the old one to end its grace period.
package keyring

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"slices"
	"strings"
)

// Errors of an invalid ring or sealed value. They contain neither keys nor values.
var (
	ErrForm   = errors.New("keyring: not of the form id:base64,id:base64 with distinct ids and keys of 32 bytes")
	ErrEmpty  = errors.New("keyring: no key")
	ErrSealed = errors.New("keyring: not sealed by a key of this ring, or not for this place")
)

const (
	keySize = 32 // AES-256; also long enough for HMAC-SHA256
	maxID   = 32
	tagSize = 16 // 128 bits, which cannot be guessed
)

// A Ring is parsed from configuration. It prints its ids, never its keys.
type Ring struct {
	keys []key
}

type key struct {
	id     string
	secret []byte
	aead   cipher.AEAD // created once: this takes longer than sealing a small value
}

// Parse reads "id:base64,id2:base64". Ids are up to 32 letters, digits, "-" and "_".
func Parse(s string) (Ring, error) {
	var r Ring
	for entry := range strings.SplitSeq(s, ",") {
		id, encoded, ok := strings.Cut(strings.TrimSpace(entry), ":")
		secret, err := base64.StdEncoding.Strict().DecodeString(encoded)
		if !ok || err != nil || len(secret) != keySize || !legal(id) {
			return Ring{}, ErrForm
		}
		if _, twice := r.Find(id); twice {
			return Ring{}, ErrForm
		}
		block, err := aes.NewCipher(secret)
		if err != nil {
			return Ring{}, err
		}
		aead, err := cipher.NewGCMWithRandomNonce(block)
		if err != nil {
			return Ring{}, err
		}
		r.keys = append(r.keys, key{id: id, secret: secret, aead: aead})
	}
	return r, nil
}

func legal(id string) bool {
	return id != "" && len(id) <= maxID && !strings.ContainsFunc(id, func(c rune) bool {
		return !('a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '-' || c == '_')
	})
}

// UnmarshalText makes a Ring usable in a configuration struct.
func (r *Ring) UnmarshalText(text []byte) error {
	read, err := Parse(string(text))
	if err != nil {
		return err
	}
	*r = read
	return nil
}

// Active returns the key for new values. For an empty ring it returns "" and nil.
func (r Ring) Active() (id string, secret []byte) {
	if len(r.keys) == 0 {
		return "", nil
	}
	return r.keys[0].id, r.keys[0].secret
}

// IDs returns the ids of all keys, the active one first.
func (r Ring) IDs() []string {
	ids := make([]string, len(r.keys))
	for i, k := range r.keys {
		ids[i] = k.id
	}
	return ids
}

// Find returns the key of that id, active or in its grace period.
func (r Ring) Find(id string) ([]byte, bool) {
	k, ok := r.find(id)
	return k.secret, ok
}

func (r Ring) find(id string) (key, bool) {
	i := slices.IndexFunc(r.keys, func(k key) bool { return k.id == id })
	if i < 0 {
		return key{}, false
	}
	return r.keys[i], true
}

// String returns the ids.
func (r Ring) String() string { return "keyring(" + strings.Join(r.IDs(), ",") + ")" }

// GoString returns String, so that no verb of fmt prints a key by reflection.
func (r Ring) GoString() string { return r.String() }

// Seal encrypts with the active key. Bound names the context of the value (its row, its purpose): Open requires the same, so
// that a sealed value cannot be moved. The format is length of id, id, then nonce, ciphertext and tag of AES-256-GCM.
func (r Ring) Seal(plain, bound []byte) ([]byte, error) {
	if len(r.keys) == 0 {
		return nil, ErrEmpty
	}
	k := r.keys[0]
	head := append(make([]byte, 0, 1+len(k.id)+len(plain)+k.aead.Overhead()), byte(len(k.id)))
	head = append(head, k.id...)
	return k.aead.Seal(head, nil, plain, additional(head, bound)), nil //nolint:gosec // the AEAD makes its own nonce
}

// Open decrypts a value that was sealed with the active key or with one in its grace period.
func (r Ring) Open(sealed, bound []byte) ([]byte, error) {
	if len(sealed) == 0 || len(sealed) <= int(sealed[0]) {
		return nil, ErrSealed
	}
	end := 1 + int(sealed[0])
	head, rest := sealed[:end], sealed[end:]
	k, ok := r.find(string(head[1:]))
	if !ok {
		return nil, ErrSealed
	}
	plain, err := k.aead.Open(nil, nil, rest, additional(head, bound))
	if err != nil {
		return nil, ErrSealed
	}
	return plain, nil
}

// additional returns the additional authenticated data. The head contains its own length, so head and bound are unambiguous.
func additional(head, bound []byte) []byte { return slices.Concat(head, bound) }

// Sum returns the HMAC-SHA256 of a text with the key of that id, active or in its grace period, if there is one.
func (r Ring) Sum(id, text string) ([]byte, bool) {
	secret, ok := r.Find(id)
	if !ok {
		return nil, false
	}
	mac := hmac.New(sha256.New, secret)
	mac.Write([]byte(text))
	return mac.Sum(nil), true
}

// Tag returns an authentication tag of the parts: the active key's id, ".", and 128 bits of their HMAC-SHA256 in base64url. The
// first part names the purpose, so that a tag is not valid for another one. No part may contain a line feed. For an empty ring
// it returns ErrEmpty.
func (r Ring) Tag(parts ...string) (string, error) {
	id, _ := r.Active()
	tag, ok := r.tag(id, parts)
	if !ok {
		return "", ErrEmpty
	}
	return tag, nil
}

// Tagged reports whether the tag was made by Tag of those parts, with the active key or one in its grace period.
func (r Ring) Tagged(tag string, parts ...string) bool {
	id, _, _ := strings.Cut(tag, ".")
	want, known := r.tag(id, parts)
	// The encoded texts are compared: decoders ignore line feeds, so a decoded tag would have several spellings.
	return known && hmac.Equal([]byte(tag), []byte(want))
}

func (r Ring) tag(id string, parts []string) (string, bool) {
	sum, ok := r.Sum(id, strings.Join(parts, "\n"))
	if !ok {
		return "", false
	}
	return id + "." + base64.RawURLEncoding.EncodeToString(sum[:tagSize]), true
}
