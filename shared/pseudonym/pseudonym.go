// Package pseudonym names people and their devices without telling who they are.
//
// A value is first brought into the one spelling that is hashed (Email, Phone, Address, …), then hashed with a secret
// pepper, or for the reservation service with the tenant's salt. Neither a Value nor an error shows what went in.
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

// A Hash is a pseudonym: "sha256:" and 64 hexadecimal digits. Equal values have equal hashes, as long as the pepper lasts.
type Hash string

// Peppers are the secrets of one environment: the first makes new hashes, the others are in their grace period. They are rotated
// once a year: hashes of a pepper that was removed no longer match. Peppers never print a secret.
type Peppers struct{ keys [][]byte }

// UnmarshalText reads what keyring.Parse does. The ids serve those who rotate: a hash does not say which pepper made it.
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

// String tells how many there are.
func (p Peppers) String() string { return fmt.Sprintf("peppers(%d)", len(p.keys)) }

// GoString is String, so that no verb of fmt prints a pepper by reflection.
func (p Peppers) GoString() string { return p.String() }

// Hash is the value's name under the pepper in use. Without any it panics: a hash that anybody could make is no pseudonym,
// and Open has refused to go without.
func (p Peppers) Hash(v Value) Hash { return hash(p.keys[0], v) }

// Matches reports whether h names the value, under any pepper.
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

// ErrSalt means that a tenant has no salt, or one that is quickly tried out.
var ErrSalt = errors.New("pseudonym: the tenant's salt is missing or shorter than 16 bytes")

const minSaltLength = 16

// Contact is the reservation service's contactHash: 64 hexadecimal digits of SHA-256 over the tenant's salt and the value.
// It lets one tenant know its guest again and no other tenant.
func Contact(salt []byte, v Value) (string, error) {
	if len(salt) < minSaltLength {
		return "", ErrSalt
	}
	h := sha256.New()
	h.Write(salt)
	h.Write([]byte(v.text))
	return hex.EncodeToString(h.Sum(nil)), nil
}
