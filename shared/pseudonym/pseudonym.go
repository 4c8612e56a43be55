// Package pseudonym computes pseudonyms of people and devices.
//
// A value is first normalized (Email, Phone, Address, …), then hashed with a secret pepper, or for the reservation service with
// the tenant's salt. Neither a Value nor an error shows the input.
package pseudonym

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"

	"melmastoon.ghasi.io/shared/keyring"
)

// A Hash is a pseudonym: "sha256:" and 64 hexadecimal digits. Equal values have equal hashes under the same pepper.
type Hash string

// Peppers are the secrets of one environment: the first makes new hashes, the others are in their grace period. They are rotated
// once a year: after a pepper is removed, its hashes no longer match. Peppers never print a secret.
type Peppers struct{ keys [][]byte }

// UnmarshalText reads the same form as keyring.Parse. The ids are for rotation only: a hash does not contain them.
func (p *Peppers) UnmarshalText(text []byte) error {
	ring, err := keyring.Parse(string(text))
	if err != nil {
		return err
	}
	var keys [][]byte
	for entry := range strings.SplitSeq(string(text), ",") {
		id, _, _ := strings.Cut(strings.TrimSpace(entry), ":")
		key, _ := ring.Find(id)
		keys = append(keys, key)
	}
	p.keys = keys
	return nil
}

// String returns the number of peppers.
func (p Peppers) String() string { return fmt.Sprintf("peppers(%d)", len(p.keys)) }

// GoString returns String, so that no verb of fmt prints a pepper by reflection.
func (p Peppers) GoString() string { return p.String() }

// Hash returns the value's pseudonym under the active pepper. It panics without peppers, because an unpeppered hash can be
// guessed; package secrets rejects a missing configuration earlier.
func (p Peppers) Hash(v Value) Hash { return hash(p.keys[0], v) }

// Matches reports whether h is the hash of the value under any pepper.
func (p Peppers) Matches(v Value, h Hash) bool {
	found := false
	for _, key := range p.keys {
		found = hmac.Equal([]byte(hash(key, v)), []byte(h)) || found
	}
	return found
}

func hash(pepper []byte, v Value) Hash {
	mac := hmac.New(sha256.New, pepper)
	mac.Write([]byte(v.text))
	return Hash("sha256:" + hex.EncodeToString(mac.Sum(nil)))
}

// ErrSalt is returned if a tenant has no salt, or one that is short enough to be guessed.
var ErrSalt = errors.New("pseudonym: the tenant's salt is missing or shorter than 16 bytes")

const minSaltLength = 16

// Contact returns the reservation service's contactHash: 64 hexadecimal digits of SHA-256 over the tenant's salt and the value.
// It lets a tenant recognize its own guests only.
func Contact(salt []byte, v Value) (string, error) {
	if len(salt) < minSaltLength {
		return "", ErrSalt
	}
	h := sha256.New()
	h.Write(salt)
	h.Write([]byte(v.text))
	return hex.EncodeToString(h.Sum(nil)), nil
}
