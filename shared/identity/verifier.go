package identity

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"
	"github.com/go-json-experiment/json"

	"melmastoon.ghasi.io/shared/env"
	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/id"
)

// algorithms are those we accept: the cloud signs service tokens with RS256, staff tokens are EdDSA.
var algorithms = []jose.SignatureAlgorithm{jose.EdDSA, jose.RS256, jose.ES256}

// A Verifier tells genuine tokens from others. What it refuses is [fault.ErrUnauthenticated]; a genuine token of
// somebody who may not call is [fault.ErrForbidden].
type Verifier struct {
	config config
	now    func() time.Time
	keys   oidc.KeySet
	staff  oidc.KeySet
}

type config struct {
	Issuer      string   `env:"IDENTITY_ISSUER"`
	Keys        string   `env:"IDENTITY_KEYS"`    // a JWKS, or the https URL of one
	Callers     []string `env:"IDENTITY_CALLERS"` // e-mails of the services that may call
	StaffIssuer string   `env:"STAFF_ISSUER"`
	StaffKeys   string   `env:"STAFF_KEYS"`
}

// Open returns the verifier of these surroundings. One that is not configured refuses everybody.
func Open(e env.Env) (*Verifier, error) {
	var c config
	if err := e.Load(&c); err != nil {
		return nil, fmt.Errorf("identity: %w", err)
	}
	return env.Once(e, fmt.Sprintf("identity %q", c), func() (*Verifier, error) {
		keys, err := keySet(c.Keys)
		if err != nil {
			return nil, fmt.Errorf("identity: IDENTITY_KEYS: %w", err)
		}
		staff, err := keySet(c.StaffKeys)
		if err != nil {
			return nil, fmt.Errorf("identity: STAFF_KEYS: %w", err)
		}
		return &Verifier{config: c, now: e.Now, keys: keys, staff: staff}, nil
	})
}

// Service verifies the token of a service that calls audience.
func (v *Verifier) Service(ctx context.Context, token, audience string) (Identity, error) {
	t, err := v.verify(ctx, token, v.config.Issuer, v.keys, &oidc.Config{ClientID: audience})
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

// Staff verifies the token of a person at a hotel's desk.
func (v *Verifier) Staff(ctx context.Context, token string) (Identity, error) {
	t, err := v.verify(ctx, token, v.config.StaffIssuer, v.staff, &oidc.Config{SkipClientIDCheck: true})
	if err != nil {
		return Identity{}, err
	}
	var claims staffClaims
	if err := t.Claims(&claims); err != nil || claims.Tenant.IsZero() || t.Subject == "" {
		return Identity{}, fault.ErrUnauthenticated.Because(errors.Join(errors.New("identity: staff token without its claims"), err))
	}
	return Identity{Subject: t.Subject, Staff: true, Tenant: &claims.Tenant, Properties: claims.Properties, Roles: claims.Roles}, nil
}

// Any verifies the token of a service that calls audience, or of staff, whichever it claims to be.
func (v *Verifier) Any(ctx context.Context, token, audience string) (Identity, error) {
	if isStaff(token) {
		return v.Staff(ctx, token)
	}
	return v.Service(ctx, token, audience)
}

// staffClaims are the claims of a staff token besides the registered ones.
type staffClaims struct {
	Tenant     id.Tenant     `json:"tenant_id"`
	Properties []id.Property `json:"property_ids"`
	Roles      []string      `json:"roles"`
}

// isStaff looks at what a token says before it is verified. It only chooses who verifies: both check the signature, and
// a claim of the wrong kind is refused by either.
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

func (v *Verifier) verify(ctx context.Context, token, issuer string, keys oidc.KeySet, c *oidc.Config) (*oidc.IDToken, error) {
	if issuer == "" || keys == nil {
		return nil, fault.ErrUnauthenticated.Because(errors.New("identity: nobody is trusted: issuer and keys are not configured"))
	}
	c.Now = v.now
	for _, a := range algorithms {
		c.SupportedSigningAlgs = append(c.SupportedSigningAlgs, string(a))
	}
	t, err := oidc.NewVerifier(issuer, keys, c).Verify(ctx, token)
	if err != nil {
		return nil, fault.ErrUnauthenticated.Because(err)
	}
	return t, nil
}

// keyTimeout bounds the fetching of somebody's keys.
const keyTimeout = 2 * time.Second

// keySet is an inline JWKS, or one that is fetched when it is first needed and again when an unknown key turns up.
func keySet(s string) (oidc.KeySet, error) {
	switch {
	case s == "":
		return nil, nil
	case strings.HasPrefix(s, "https://"):
		ctx := oidc.ClientContext(context.Background(), &http.Client{Timeout: keyTimeout})
		return oidc.NewRemoteKeySet(ctx, s), nil
	}
	var set jose.JSONWebKeySet
	if err := json.Unmarshal([]byte(s), &set); err != nil {
		return nil, errors.New("neither a JWKS nor an https URL")
	}
	static := &oidc.StaticKeySet{}
	for _, k := range set.Keys {
		if !k.IsPublic() {
			return nil, errors.New("a key that is not public")
		}
		static.PublicKeys = append(static.PublicKeys, k.Key)
	}
	return static, nil
}
