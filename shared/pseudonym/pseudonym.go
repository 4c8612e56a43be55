// Package pseudonym computes pseudonyms of people and devices.
//
// A value is first normalized (Email, Phone, Address, …), then hashed with a secret pepper, or for the reservation service with
// the tenant's salt. Neither a Value nor an error shows the input.
// Email and Name decide for all services which addresses and names a guest may have, because they are normalized here.
package pseudonym

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"

	"melmastoon.ghasi.io/shared/keyring"
)

// A Hash is a pseudonym: "sha256:" and 64 hexadecimal digits. Equal values have equal hashes under the same pepper.
type Hash string

// Peppers are the secrets of one environment: the first makes new hashes, the others are in their grace period. They are rotated
// once a year: after a pepper is removed, its hashes no longer match. Peppers never print a secret.
type Peppers struct{ ring keyring.Ring }

// UnmarshalText reads the same form as keyring.Parse. The ids are for rotation only: a hash does not contain them.
func (p *Peppers) UnmarshalText(text []byte) error { return p.ring.UnmarshalText(text) }

// String returns the ids of the peppers.
func (p Peppers) String() string { return p.ring.String() }

// GoString returns String, so that no verb of fmt prints a pepper by reflection.
func (p Peppers) GoString() string { return p.String() }

// Hash returns the value's pseudonym under the active pepper. It panics without peppers, because an unpeppered hash can be
// guessed; package secrets rejects a missing configuration earlier.
func (p Peppers) Hash(v Value) Hash { return p.hash(p.ring.IDs()[0], v) }

// Matches reports whether h is the hash of the value under any pepper.
func (p Peppers) Matches(v Value, h Hash) bool {
	found := false
	for _, pepper := range p.ring.IDs() {
		found = hmac.Equal([]byte(p.hash(pepper, v)), []byte(h)) || found
	}
	return found
}

func (p Peppers) hash(pepper string, v Value) Hash {
	sum, _ := p.ring.Sum(pepper, v.text)
	return Hash("sha256:" + hex.EncodeToString(sum))
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
	sum := sha256.Sum256(append(bytes.Clone(salt), v.text...))
	return hex.EncodeToString(sum[:]), nil
}
