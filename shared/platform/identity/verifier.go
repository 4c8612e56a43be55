package identity

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"
	"github.com/go-json-experiment/json"

	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/env"
)

// The accepted algorithms. The cloud signs service tokens with RS256, the local issuer with EdDSA.
var (
	algorithms      = []jose.SignatureAlgorithm{jose.EdDSA, jose.RS256, jose.ES256}
	staffAlgorithms = []jose.SignatureAlgorithm{jose.EdDSA}
)

const (
	maxStaffLifetime = 12 * time.Hour  // from iat to exp of a staff token: a shift
	maxClockSkew     = 1 * time.Minute // by which iat may be ahead of this clock
)

// A Verifier verifies identity tokens. An invalid token is [fault.ErrUnauthenticated]; a valid token of a caller that is not
// allowed is [fault.ErrForbidden].
type Verifier struct {
	config config
	now    func() time.Time
	keys   oidc.KeySet
	staff  oidc.KeySet
}

type config struct {
	Issuer      string   `env:"IDENTITY_ISSUER"`
	Keys        string   `env:"IDENTITY_KEYS"`    // a JWKS, or the https URL of one (on this machine also http)
	Callers     []string `env:"IDENTITY_CALLERS"` // e-mails of the services that may call
	StaffIssuer string   `env:"STAFF_ISSUER"`
	StaffKeys   string   `env:"STAFF_KEYS"`
}

// Open returns the configured verifier. Without configuration it rejects every token.
func Open(e env.Env) (*Verifier, error) {
	var c config
	if err := e.Load(&c); err != nil {
		return nil, fmt.Errorf("identity: %w", err)
	}
	return env.Once(e, fmt.Sprintf("identity %q", c), func() (*Verifier, error) {
		keys, err := keySet(c.Keys, e.Now)
		if err != nil {
			return nil, fmt.Errorf("identity: IDENTITY_KEYS: %w", err)
		}
		staff, err := keySet(c.StaffKeys, e.Now)
		if err != nil {
			return nil, fmt.Errorf("identity: STAFF_KEYS: %w", err)
		}
		return &Verifier{config: c, now: e.Now, keys: keys, staff: staff}, nil
	})
}

// Service verifies the token of a service that calls audience.
func (v *Verifier) Service(ctx context.Context, token, audience string) (Identity, error) {
	t, err := v.verify(ctx, token, trust{issuer: v.config.Issuer, keys: v.keys, algorithms: algorithms}, audience)
	if err != nil {
		return Identity{}, err
	}
	var claims struct {
		Email    string `json:"email"`
		Verified bool   `json:"email_verified"`
	}
	if err := t.Claims(&claims); err != nil || !claims.Verified {
		return Identity{}, fault.ErrUnauthenticated.Because(errors.Join(errors.New("identity: token without a verified e-mail"), err))
	}
	if !slices.Contains(v.config.Callers, claims.Email) {
		return Identity{}, fault.ErrForbidden.Because(fmt.Errorf("identity: %s may not call", claims.Email))
	}
	return Identity{Subject: t.Subject, Email: claims.Email}, nil
}

// Staff verifies the token of a person at a hotel's desk who calls audience. It must have an iat and be valid for a shift at
// most.
func (v *Verifier) Staff(ctx context.Context, token, audience string) (Identity, error) {
	t, err := v.verify(ctx, token, trust{issuer: v.config.StaffIssuer, keys: v.staff, algorithms: staffAlgorithms}, audience)
	if err != nil {
		return Identity{}, err
	}
	if t.IssuedAt.IsZero() || t.Expiry.Sub(t.IssuedAt) > maxStaffLifetime {
		return Identity{}, fault.ErrUnauthenticated.Because(fmt.Errorf("identity: staff token without iat, or valid for more than %v", maxStaffLifetime))
	}
	var claims staffClaims
	if err := t.Claims(&claims); err != nil || claims.Tenant.IsZero() || t.Subject == "" {
		return Identity{}, fault.ErrUnauthenticated.Because(errors.Join(errors.New("identity: staff token without its claims"), err))
	}
	return Identity{Subject: t.Subject, Staff: true, Tenant: &claims.Tenant, Properties: claims.Properties, Roles: claims.Roles}, nil
}

// Any verifies a service token or a staff token for audience, depending on its claims.
func (v *Verifier) Any(ctx context.Context, token, audience string) (Identity, error) {
	if isStaff(token) {
		return v.Staff(ctx, token, audience)
	}
	return v.Service(ctx, token, audience)
}

// staffClaims are the claims of a staff token besides the registered ones.
type staffClaims struct {
	Tenant     id.Tenant     `json:"tenant_id"`
	Properties []id.Property `json:"property_ids"`
	Roles      []string      `json:"roles"`
}

// isStaff reads a token before it is verified. It only selects the verification: both check the signature, and both reject a
// claim of the wrong kind.
func isStaff(token string) bool {
	t, err := jwt.ParseSigned(token, algorithms)
	if err != nil {
		return false
	}
	var claims struct {
		Tenant string `json:"tenant_id"`
	}
	return t.UnsafeClaimsWithoutVerification(&claims) == nil && claims.Tenant != ""
}

// A trust is an accepted issuer with its keys and algorithms.
type trust struct {
	issuer     string
	keys       oidc.KeySet
	algorithms []jose.SignatureAlgorithm
}

func (v *Verifier) verify(ctx context.Context, token string, by trust, audience string) (*oidc.IDToken, error) {
	if by.issuer == "" || by.keys == nil {
		return nil, fault.ErrUnauthenticated.Because(errors.New("identity: no issuer or no keys configured"))
	}
	c := &oidc.Config{ClientID: audience, Now: v.now}
	for _, a := range by.algorithms {
		c.SupportedSigningAlgs = append(c.SupportedSigningAlgs, string(a))
	}
	signed, err := jose.ParseSignedCompact(token, by.algorithms)
	if err != nil || len(signed.Signatures) != 1 || signed.Signatures[0].Header.KeyID == "" {
		return nil, fault.ErrUnauthenticated.Because(errors.Join(errors.New("identity: the token needs exactly one signature with a key id"), err))
	}
	t, err := oidc.NewVerifier(by.issuer, by.keys, c).Verify(ctx, token)
	if err != nil {
		return nil, fault.ErrUnauthenticated.Because(err)
	}
	if t.IssuedAt.After(v.now().Add(maxClockSkew)) {
		return nil, fault.ErrUnauthenticated.Because(errors.New("identity: the token is issued in the future"))
	}
	return t, nil
}

// A fixedKeySet verifies a signature only with the key that the token names.
type fixedKeySet jose.JSONWebKeySet

// VerifySignature returns the payload of a token.
func (f fixedKeySet) VerifySignature(_ context.Context, token string) ([]byte, error) {
	signed, err := jose.ParseSignedCompact(token, algorithms)
	if err != nil {
		return nil, err
	}
	set := jose.JSONWebKeySet(f)
	for _, k := range set.Key(signed.Signatures[0].Header.KeyID) {
		if payload, err := signed.Verify(k.Key); err == nil {
			return payload, nil
		}
	}
	return nil, errors.New("the signature does not match a known key")
}

// keySet returns an inline JWKS, or one that is fetched on first use.
func keySet(s string, now func() time.Time) (oidc.KeySet, error) {
	switch {
	case s == "":
		return nil, nil
	case isKeyURL(s):
		return newRemoteKeySet(s, now), nil
	}
	var set jose.JSONWebKeySet
	if err := json.Unmarshal([]byte(s), &set); err != nil {
		return nil, errors.New("neither a JWKS nor the https URL of one")
	}
	for _, k := range set.Keys {
		if !k.IsPublic() || k.KeyID == "" {
			return nil, errors.New("a key that is not public, or has no kid")
		}
	}
	return fixedKeySet(set), nil
}
