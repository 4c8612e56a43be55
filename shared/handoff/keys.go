package handoff

import (
	"crypto/hmac"
	"errors"
	"fmt"
	"strings"
	"time"

	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/keyring"
)

// Keys mint and verify tokens. The minting and the verifying site share them. To rotate, add the new key last on both sites,
// then move it to the front on both, and remove the old one after its last token has expired.
type Keys struct{ ring keyring.Ring }

// KeysOf returns the keys of a ring.
func KeysOf(ring keyring.Ring) Keys { return Keys{ring} }

// Mint signs the handoff with the active key. It sets both times, the key id, and the id unless the caller has derived one from
// its act. The caller must have validated the guest's input.
func (k Keys) Mint(h Handoff, now time.Time) (Handoff, Token, error) {
	keyID, _ := k.ring.Active()
	if keyID == "" {
		return Handoff{}, Token{}, fmt.Errorf("handoff: mint: %w", keyring.ErrEmpty)
	}
	if h.ID.IsZero() {
		h.ID = id.New[id.Handoff]()
	}
	h.MintedAt, h.ExpiresAt, h.KeyID = now, now.Add(Lifetime), keyID
	canonical := h.canonical()
	// The canonical string is parsed back, so that Verify accepts every signed token and the returned times have its millisecond
	// precision.
	h, err := parse(canonical)
	if err != nil {
		return Handoff{}, Token{}, fmt.Errorf("handoff: mint: %w", err)
	}
	signature, _ := k.ring.Sum(keyID, canonical)
	return h, assemble(canonical, signature), nil
}

// Errors for the log. Callers get ErrSignatureInvalid for all of them, so that a forger learns nothing.
var (
	errMalformed  = errors.New("handoff: malformed token")
	errUnknownKey = errors.New("handoff: the signing key is not in the ring")
	errForged     = errors.New("handoff: the signature does not match")
	errElsewhere  = errors.New("handoff: made for another tenant")
)

// Verify returns the handoff if we signed the token for this tenant. For an expired token it returns the handoff and ErrExpired.
// If the result decides about single use, now must be the database's time.
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
	want, ok := k.ring.Sum(canonical[strings.LastIndexByte(canonical, '\n')+1:], canonical)
	if !ok {
		return Handoff{}, errUnknownKey
	}
	if !hmac.Equal(signature, want) {
		return Handoff{}, errForged
	}
	h, err := parse(canonical)
	if err == nil && h.Tenant != tenant {
		err = errElsewhere
	}
	return h, err
}
