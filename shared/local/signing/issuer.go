// Package signing issues identity tokens without a cloud: on a laptop and in tests.
package signing

import (
	"context"
	"crypto/ed25519"
	"fmt"
	"sync"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"
	"github.com/go-json-experiment/json"

	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/env"
)

const (
	localIssuer = "https://identity.melmastoon.local"
	localEmail  = "melmastoon-local@melmastoon.local"
	lifetime    = time.Hour
)

// An Issuer signs tokens without a cloud: on a laptop and in tests. It is the identity.Source of its own service tokens, and signs staff
// tokens, with the clock of its Env.
type Issuer struct {
	now    func() time.Time
	public ed25519.PublicKey
	signer jose.Signer

	mu     sync.Mutex
	tokens map[string]issued // by audience
}

type issued struct {
	token       string
	from, until time.Time
}

// NewIssuer returns an issuer that signs with the key derived from a seed of 32 bytes. It panics if the seed has another length.
func NewIssuer(e env.Env, seed []byte) *Issuer {
	key := ed25519.NewKeyFromSeed(seed)
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.EdDSA, Key: key},
		(&jose.SignerOptions{}).WithType("JWT").WithHeader("kid", "local"))
	if err != nil {
		panic(err) // algorithm and key type are constant
	}
	return &Issuer{now: e.Now, public: key.Public().(ed25519.PublicKey), signer: signer, tokens: map[string]issued{}}
}

// Name returns the issuer claim of its tokens.
func (i *Issuer) Name() string { return localIssuer }

// Email returns the e-mail of the service that it signs for.
func (i *Issuer) Email() string { return localEmail }

// JWKS returns the public key that verifies its tokens.
func (i *Issuer) JWKS() []byte {
	text, err := json.Marshal(jose.JSONWebKeySet{Keys: []jose.JSONWebKey{{Key: i.public, KeyID: "local", Algorithm: "EdDSA", Use: "sig"}}})
	if err != nil {
		panic(err) // a public key always encodes
	}
	return text
}

// Token returns a service token for an audience. It returns the cached one during the first half of its life.
func (i *Issuer) Token(_ context.Context, audience string) (string, error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	now := i.now()
	if t, ok := i.tokens[audience]; ok && !now.Before(t.from) && now.Before(t.until) { // from: the clock may be moved back
		return t.token, nil
	}
	token, err := i.Sign(localEmail, now.Add(lifetime), audience)
	if err != nil {
		return "", err
	}
	i.tokens[audience] = issued{token: token, from: now, until: now.Add(lifetime / 2)}
	return token, nil
}

// Sign returns a service token with that e-mail, expiry and audiences: for tests, and for use in a shell.
func (i *Issuer) Sign(email string, expires time.Time, audiences ...string) (string, error) {
	return i.sign(jwt.Claims{Subject: email, Audience: audiences, Expiry: jwt.NewNumericDate(expires)},
		map[string]any{"email": email, "email_verified": true})
}

// Staff returns a staff token for a service.
func (i *Issuer) Staff(audience, subject string, tenant id.Tenant, properties []id.Property, roles ...string) (string, error) {
	return i.sign(jwt.Claims{Subject: subject, Audience: jwt.Audience{audience}, Expiry: jwt.NewNumericDate(i.now().Add(lifetime))},
		map[string]any{"tenant_id": tenant, "property_ids": properties, "roles": roles})
}

func (i *Issuer) sign(registered jwt.Claims, own any) (string, error) {
	registered.Issuer = localIssuer
	registered.IssuedAt = jwt.NewNumericDate(i.now())
	token, err := jwt.Signed(i.signer).Claims(registered).Claims(own).Serialize()
	if err != nil {
		return "", fmt.Errorf("signing: sign: %w", err)
	}
	return token, nil
}
