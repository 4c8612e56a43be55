package handoff

import (
	"crypto/hmac"
	"errors"
	"fmt"
	"time"

	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/keyring"
)

// Keys mint and verify tokens. The site that mints and the site that verifies share them: put a new key last on both
// first, in front on both then, and take the old one away when its last token has expired.
type Keys struct{ ring keyring.Ring }

// KeysOf returns the keys of a ring.
func KeysOf(ring keyring.Ring) Keys { return Keys{ring} }

// Mint signs the handoff with the active key. It fills what is minting's to say: both times, the key id and, where the
// caller has not derived one from the act that is being done, the id. What a guest may get wrong, the caller has checked.
func (k Keys) Mint(h Handoff, now time.Time) (Handoff, Token, error) {
	keyID, _ := k.ring.Active()
	if keyID == "" {
		return Handoff{}, Token{}, fmt.Errorf("handoff: mint: %w", keyring.ErrEmpty)
	}
	if h.ID.IsZero() {
		h.ID = id.New[id.Handoff]()
	}
	h.MintedAt, h.ExpiresAt, h.KeyID = now, now.Add(Lifetime), keyID
	canonical, err := h.canonical()
	if err == nil {
		// Read back, so that nothing is signed that Verify would refuse, and the times are those that travel, to the millisecond.
		h, err = parse(canonical)
	}
	if err != nil {
		return Handoff{}, Token{}, fmt.Errorf("handoff: mint: %w", err)
	}
	signature, _ := k.ring.Sum(keyID, canonical)
	return h, assemble(canonical, signature[:]), nil
}

// Reasons for the log: all of them are ErrSignatureInvalid to the caller, who learns nothing about how close a forgery came.
var (
	errMalformed  = errors.New("handoff: not of the form of a token")
	errUnknownKey = errors.New("handoff: signed by a key that is not, or no longer, in the ring")
	errForged     = errors.New("handoff: the signature does not match")
	errElsewhere  = errors.New("handoff: made for another tenant")
)

// Verify returns the handoff if we signed the token for this tenant. A genuine one that is over is returned too, with
// ErrExpired. Now is the database's where it decides about single use.
func (k Keys) Verify(t Token, tenant id.Tenant, now time.Time) (Handoff, error) {
	h, err := k.open(t, tenant)
	if err != nil {
		return Handoff{}, ErrSignatureInvalid.Because(err)
	}
	if h.Expired(now) {
		return h, ErrExpired
	}
	return h, nil
}

func (k Keys) open(t Token, tenant id.Tenant) (Handoff, error) {
	canonical, signature, ok := t.split()
	if !ok {
		return Handoff{}, errMalformed
	}
	want, ok := k.ring.Sum(string(lastLine(canonical)), canonical)
	if !ok {
		return Handoff{}, errUnknownKey
	}
	if !hmac.Equal(signature, want[:]) {
		return Handoff{}, errForged
	}
	h, err := parse(canonical)
	if err == nil && h.Tenant != tenant {
		err = errElsewhere
	}
	return h, err
}
