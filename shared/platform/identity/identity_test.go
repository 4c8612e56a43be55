package identity_test

import (
	"bytes"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/rsa"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"

	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/local/signing"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/identity"
	"melmastoon.ghasi.io/shared/testkit/check"
)

const audience = "https://reservation.melmastoon.ghasi.io"

// trusting is an issuer, and a verifier that trusts it.
func trusting(t *testing.T) (env.Env, *signing.Issuer, *identity.Verifier) {
	t.Helper()
	e := env.Of(nil)
	issuer := signing.NewIssuer(e, make([]byte, 32))
	e = e.With("IDENTITY_ISSUER", issuer.Name()).With("IDENTITY_KEYS", string(issuer.JWKS())).
		With("IDENTITY_CALLERS", "other@example.com,"+issuer.Email()).
		With("STAFF_ISSUER", issuer.Name()).With("STAFF_KEYS", string(issuer.JWKS()))
	return e, issuer, check.Got(identity.Open(e)).Must(t)
}

func TestIdentity_serviceToken(t *testing.T) {
	t.Parallel()
	_, issuer, v := trusting(t)
	token := check.Got(issuer.Token(t.Context(), identity.Audience("reservation"))).Must(t)
	who, err := v.Service(t.Context(), token, audience)
	switch {
	case err != nil:
		t.Errorf("err = %v, want nil", err)
	case who.Email != issuer.Email():
		t.Errorf("who.Email = %v, want %v", who.Email, issuer.Email())
	case who.Staff:
		t.Errorf("who.Staff = true, want false")
	case who.Tenant != nil:
		t.Errorf("who.Tenant = %v, want nil", who.Tenant)
	}
}

func TestIdentity_rejectedServiceToken(t *testing.T) {
	t.Parallel()
	e, issuer, v := trusting(t)
	soon := e.Now().Add(time.Hour)
	right := check.Got(issuer.Sign(issuer.Email(), soon, audience)).Must(t)
	part := strings.Split(right, ".")
	none := base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"none","typ":"JWT"}`))
	for name, test := range map[string]struct {
		token string
		want  error
	}{
		"empty":               {"", fault.ErrUnauthenticated},
		"no token":            {"abc", fault.ErrUnauthenticated},
		"without a signature": {part[0] + "." + part[1] + ".", fault.ErrUnauthenticated},
		"unsigned":            {none + "." + part[1] + ".", fault.ErrUnauthenticated},
		"another signature":   {part[0] + "." + part[1] + "." + strings.Repeat("A", len(part[2])), fault.ErrUnauthenticated},
		"of another key":      {check.Got(signing.NewIssuer(e, bytes.Repeat([]byte{1}, 32)).Sign(issuer.Email(), soon, audience)).Must(t), fault.ErrUnauthenticated},
		"for another service": {check.Got(issuer.Sign(issuer.Email(), soon, identity.Audience("sandbox"))).Must(t), fault.ErrUnauthenticated},
		"expired":             {check.Got(issuer.Sign(issuer.Email(), e.Now().Add(-time.Second), audience)).Must(t), fault.ErrUnauthenticated},
		"of staff":            {check.Got(issuer.Staff(audience, "usr_1", id.New[id.Tenant](), nil)).Must(t), fault.ErrUnauthenticated},
		"unknown caller":      {check.Got(issuer.Sign("stranger@example.com", soon, audience)).Must(t), fault.ErrForbidden},
		"of part of a caller": {check.Got(issuer.Sign("example.com", soon, audience)).Must(t), fault.ErrForbidden},
		"no subject":          {check.Got(issuer.Sign("", soon, audience)).Must(t), fault.ErrForbidden},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			check.Got(v.Service(t.Context(), test.token, audience)).Error(t, test.want)
		})
	}
}

func TestIdentity_unverifiedEmail(t *testing.T) {
	t.Parallel()
	e, issuer, v := trusting(t)
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.EdDSA, Key: ed25519.NewKeyFromSeed(make([]byte, 32))},
		(&jose.SignerOptions{}).WithHeader("kid", "local"))
	check.Must(t, err)
	for verified, want := range map[bool]error{true: nil, false: fault.ErrUnauthenticated} {
		t.Run(fmt.Sprint(verified), func(t *testing.T) {
			token := check.Got(jwt.Signed(signer).
				Claims(jwt.Claims{Issuer: issuer.Name(), Audience: jwt.Audience{audience}, Expiry: jwt.NewNumericDate(e.Now().Add(time.Hour))}).
				Claims(map[string]any{"email": issuer.Email(), "email_verified": verified}).Serialize()).Must(t)
			check.Got(v.Service(t.Context(), token, audience)).Error(t, want, "verified %v", verified)
		})
	}
}

func TestIdentity_staffToken(t *testing.T) {
	t.Parallel()
	_, issuer, v := trusting(t)
	tenant, property := id.New[id.Tenant](), id.New[id.Property]()
	token := check.Got(issuer.Staff(audience, "usr_1", tenant, []id.Property{property}, "front_desk", "manager")).Must(t)
	for name, verify := range map[string]func() (identity.Identity, error){
		"Staff": func() (identity.Identity, error) { return v.Staff(t.Context(), token, audience) },
		"Any":   func() (identity.Identity, error) { return v.Any(t.Context(), token, audience) },
	} {
		t.Run(name, func(t *testing.T) {
			who, err := verify()
			switch {
			case err != nil:
				t.Errorf("err = %v, want nil", err)
			case !who.Staff:
				t.Errorf("who.Staff = false, want true")
			case who.Subject != "usr_1":
				t.Errorf(`who.Subject = %q, want "usr_1"`, who.Subject)
			case who.Tenant == nil:
				t.Errorf("who.Tenant = nil, want a value")
			case *who.Tenant != tenant:
				t.Errorf("*who.Tenant = %v, want %v", *who.Tenant, tenant)
			case !slices.Equal(who.Properties, []id.Property{property}):
				t.Errorf("who.Properties = %v, want %v", who.Properties, []id.Property{property})
			case !slices.Equal(who.Roles, []string{"front_desk", "manager"}):
				t.Errorf("who.Roles = %v, want %v", who.Roles, []string{"front_desk", "manager"})
			}
		})
	}
}

func TestIdentity_rejectedStaffToken(t *testing.T) {
	t.Parallel()
	e, issuer, v := trusting(t)
	for name, token := range map[string]string{
		"of a service":     check.Got(issuer.Token(t.Context(), audience)).Must(t),
		"without a tenant": check.Got(issuer.Staff(audience, "usr_1", id.Tenant{}, nil)).Must(t),
		"without a person": check.Got(issuer.Staff(audience, "", id.New[id.Tenant](), nil)).Must(t),
		"of another key":   check.Got(signing.NewIssuer(e, bytes.Repeat([]byte{1}, 32)).Staff(audience, "usr_1", id.New[id.Tenant](), nil)).Must(t),
	} {
		t.Run(name, func(t *testing.T) {
			check.Got(v.Staff(t.Context(), token, audience)).Error(t, fault.ErrUnauthenticated, "%s", name)
		})
	}
}

// claimed signs the claims of a valid staff token after change has modified them, with the trusted key unless the claims name
// another.
func claimed(t *testing.T, e env.Env, issuer *signing.Issuer, kid string, change func(map[string]any)) string {
	t.Helper()
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.EdDSA, Key: ed25519.NewKeyFromSeed(make([]byte, 32))},
		(&jose.SignerOptions{}).WithHeader("kid", kid))
	check.Must(t, err)
	now := e.Now().Unix()
	claims := map[string]any{"iss": issuer.Name(), "sub": "usr_1", "aud": audience, "iat": now, "exp": now + 3600,
		"tenant_id": id.New[id.Tenant]().String(), "roles": []string{"front_desk"}}
	change(claims)
	return check.Got(jwt.Signed(signer).Claims(claims).Serialize()).Must(t)
}

func TestStaff_claims(t *testing.T) {
	t.Parallel()
	e, issuer, v := trusting(t)
	now := e.Now().Unix()
	for _, test := range []struct {
		name, kid string
		change    func(map[string]any)
		ok        bool
	}{
		{"all right", "local", func(map[string]any) {}, true},
		{"a shift", "local", func(c map[string]any) { c["iat"], c["exp"] = now, now+12*3600 }, true},
		{"longer than a shift", "local", func(c map[string]any) { c["iat"], c["exp"] = now, now+12*3600+1 }, false},
		{"ten years", "local", func(c map[string]any) { c["exp"] = now + 10*365*86400 }, false},
		{"no iat", "local", func(c map[string]any) { delete(c, "iat") }, false},
		{"iat within the skew", "local", func(c map[string]any) { c["iat"] = now + 30 }, true},
		{"iat in the future", "local", func(c map[string]any) { c["iat"] = now + 600 }, false},
		{"no audience", "local", func(c map[string]any) { delete(c, "aud") }, false},
		{"another audience", "local", func(c map[string]any) { c["aud"] = "https://sandbox.melmastoon.ghasi.io" }, false},
		{"no kid", "", func(map[string]any) {}, false},
		{"unknown kid", "other", func(map[string]any) {}, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			who, err := v.Any(t.Context(), claimed(t, e, issuer, test.kid, test.change), audience)
			if (err == nil) != test.ok || err != nil && !errors.Is(err, fault.ErrUnauthenticated) {
				t.Errorf("Any() = %+v, %v; want accepted %v", who, err, test.ok)
			}
		})
	}
}

// Services may sign with RSA, staff may not, even with one issuer for both.
func TestStaff_algorithm(t *testing.T) {
	t.Parallel()
	e, _, _ := trusting(t)
	key := check.Got(rsa.GenerateKey(rand.Reader, 2048)).Must(t)
	keys, err := json.Marshal(jose.JSONWebKeySet{Keys: []jose.JSONWebKey{{Key: key.Public(), KeyID: "rsa", Algorithm: "RS256", Use: "sig"}}})
	check.Must(t, err)
	v := check.Got(identity.Open(e.With("STAFF_ISSUER", "https://staff.example").With("STAFF_KEYS", string(keys)))).Must(t)
	signer := check.Got(jose.NewSigner(jose.SigningKey{Algorithm: jose.RS256, Key: key}, (&jose.SignerOptions{}).WithHeader("kid", "rsa"))).Must(t)
	now := e.Now().Unix()
	token := check.Got(jwt.Signed(signer).Claims(map[string]any{"iss": "https://staff.example", "sub": "usr_1", "aud": audience, "iat": now,
		"exp": now + 3600, "tenant_id": id.New[id.Tenant]().String()}).Serialize()).Must(t)
	check.Got(v.Staff(t.Context(), token, audience)).Error(t, fault.ErrUnauthenticated)
}

func TestIdentity_movedClock(t *testing.T) {
	t.Parallel()
	e, issuer, v := trusting(t)
	first := check.Got(issuer.Token(t.Context(), audience)).Must(t)
	check.Equal(t, check.Got(issuer.Token(t.Context(), audience)).Must(t), first, "the cached token")
	e.Advance(61 * time.Minute)
	check.Got(v.Service(t.Context(), first, audience)).Error(t, fault.ErrUnauthenticated, "expired")
	if _, err := v.Service(t.Context(), check.Got(issuer.Token(t.Context(), audience)).Must(t), audience); err != nil {
		t.Errorf("renewed: got %v", err)
	}
}

func TestIdentity_wrongKeys(t *testing.T) {
	t.Parallel()
	key := ed25519.NewKeyFromSeed(make([]byte, 32))
	for name, keys := range map[string]string{
		"text":          "keys",
		"an http URL":   "http://example.com/jwks",
		"without a kid": fmt.Sprintf(`{"keys":[{"kty":"OKP","crv":"Ed25519","x":%q}]}`, b64(key[32:])),
		"a private key": fmt.Sprintf(`{"keys":[{"kty":"OKP","crv":"Ed25519","x":%q,"d":%q}]}`, b64(key[32:]), b64(key.Seed())),
	} {
		t.Run(name, func(t *testing.T) {
			check.Got(identity.Open(env.Of(map[string]string{"IDENTITY_ISSUER": "i", "IDENTITY_KEYS": keys}))).Fails(t, "%s", name)
		})
	}
}

func b64(b []byte) string { return base64.RawURLEncoding.EncodeToString(b) }

func TestVerifier_unconfigured(t *testing.T) {
	t.Parallel()
	_, issuer, _ := trusting(t)
	v := check.Got(identity.Open(env.Of(nil))).Must(t)
	check.Got(v.Service(t.Context(), check.Got(issuer.Token(t.Context(), audience)).Must(t), audience)).Error(t, fault.ErrUnauthenticated)
}
