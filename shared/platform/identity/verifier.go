package identity

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

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
	maxClockSkew     = 1 * time.Minute // by which iat and nbf may be ahead of this clock
)

// A Verifier verifies identity tokens. An invalid token is [fault.ErrUnauthenticated]; a valid token of a caller that is not
// allowed is [fault.ErrForbidden].
type Verifier struct {
	now      func() time.Time
	services trust
	staff    trust
	callers  []string
}

// A trust is an accepted issuer with its algorithms and keys.
type trust struct {
	issuer     string
	algorithms []jose.SignatureAlgorithm
	keys       keySet // nil if no keys are configured
}

// A keySet returns the current keys of an issuer, to verify a token that names the key kid.
type keySet func(ctx context.Context, kid string) (jose.JSONWebKeySet, error)

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
		keys, err := openKeys(c.Keys, e.Now)
		if err != nil {
			return nil, fmt.Errorf("identity: IDENTITY_KEYS: %w", err)
		}
		staff, err := openKeys(c.StaffKeys, e.Now)
		if err != nil {
			return nil, fmt.Errorf("identity: STAFF_KEYS: %w", err)
		}
		return &Verifier{
			now:      e.Now,
			services: trust{issuer: c.Issuer, algorithms: algorithms, keys: keys},
			staff:    trust{issuer: c.StaffIssuer, algorithms: staffAlgorithms, keys: staff},
			callers:  c.Callers,
		}, nil
	})
}

// Service verifies the token of a service that calls audience.
func (v *Verifier) Service(ctx context.Context, token, audience string) (Identity, error) {
	var claims struct {
		Email    string `json:"email"`
		Verified bool   `json:"email_verified"`
	}
	t, err := v.verify(ctx, token, v.services, audience, &claims)
	switch {
	case err != nil:
		return Identity{}, fault.ErrUnauthenticated.Because(err)
	case !claims.Verified:
		return Identity{}, fault.ErrUnauthenticated.Because(errors.New("identity: token without a verified e-mail"))
	case !slices.Contains(v.callers, claims.Email):
		return Identity{}, fault.ErrForbidden.Because(fmt.Errorf("identity: %s may not call", claims.Email))
	}
	return Identity{Subject: t.Subject, Email: claims.Email}, nil
}

// Staff verifies the token of a person at a hotel's desk who calls audience. It must have an iat and be valid for a shift at
// most.
func (v *Verifier) Staff(ctx context.Context, token, audience string) (Identity, error) {
	var claims struct {
		Tenant     id.Tenant     `json:"tenant_id"`
		Properties []id.Property `json:"property_ids"`
		Roles      []string      `json:"roles"`
	}
	t, err := v.verify(ctx, token, v.staff, audience, &claims)
	switch {
	case err != nil:
		return Identity{}, fault.ErrUnauthenticated.Because(err)
	case t.IssuedAt == nil || t.Expiry.Time().Sub(t.IssuedAt.Time()) > maxStaffLifetime:
		return Identity{}, fault.ErrUnauthenticated.Because(fmt.Errorf("identity: staff token without iat, or valid for more than %v", maxStaffLifetime))
	case claims.Tenant.IsZero() || t.Subject == "":
		return Identity{}, fault.ErrUnauthenticated.Because(errors.New("identity: staff token without its claims"))
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

// verify returns the registered claims of a valid token and decodes its other claims.
func (v *Verifier) verify(ctx context.Context, token string, by trust, audience string, claims any) (c jwt.Claims, err error) {
	if by.issuer == "" || by.keys == nil {
		return c, errors.New("identity: no issuer or no keys configured")
	}
	t, err := jwt.ParseSigned(token, by.algorithms)
	if err != nil || len(t.Headers) != 1 || t.Headers[0].KeyID == "" {
		return c, errors.Join(errors.New("identity: the token needs exactly one signature with a key id"), err)
	}
	keys, err := by.keys(ctx, t.Headers[0].KeyID)
	if err != nil {
		return c, err
	}
	if err := t.Claims(keys, &c, claims); err != nil {
		return c, fmt.Errorf("identity: signature or claims: %w", err)
	}
	now := v.now()
	if c.Expiry == nil || !now.Before(c.Expiry.Time()) { // without leeway
		return c, jwt.ErrExpired
	}
	return c, c.ValidateWithLeeway(jwt.Expected{Issuer: by.issuer, AnyAudience: jwt.Audience{audience}, Time: now}, maxClockSkew)
}

// openKeys returns an inline JWKS, or one that is fetched on first use.
func openKeys(s string, now func() time.Time) (keySet, error) {
	switch {
	case s == "":
		return nil, nil
	case isKeyURL(s):
		remote := &remoteKeys{url: s, client: &http.Client{Timeout: keyTimeout}, now: now, turn: make(chan struct{}, 1)}
		return remote.get, nil
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
	return func(context.Context, string) (jose.JSONWebKeySet, error) { return set, nil }, nil
}
