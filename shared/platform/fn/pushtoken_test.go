package fn_test

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"encoding/base64"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"

	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/fn"
	"melmastoon.ghasi.io/shared/platform/identity"
	"melmastoon.ghasi.io/shared/testkit/check"
)

// claims are the claims of a push token; a nil value removes a claim.
type claims map[string]any

func (c claims) but(name string, value any) claims {
	other := claims{}
	maps.Copy(other, c)
	if other[name] = value; value == nil {
		delete(other, name)
	}
	return other
}

// signed is a token of those claims, signed with that key by that algorithm.
func signed(t *testing.T, a jose.SignatureAlgorithm, key any, c claims) string {
	t.Helper()
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: a, Key: key}, (&jose.SignerOptions{}).WithType("JWT").WithHeader("kid", "local"))
	check.Must(t, err)
	return check.Got(jwt.Signed(signer).Claims(map[string]any(c)).Serialize()).Must(t)
}

func TestPush_onlyWithToken(t *testing.T) {
	t.Parallel()
	received := 0
	fixture := consuming(t, fn.Spec{}, func(context.Context, event.Event[money]) error { received++; return nil })
	now := time.Now()
	ours := ed25519.NewKeyFromSeed(make([]byte, 32)) // the key that fntest.Surround trusts
	public := ours.Public().(ed25519.PublicKey)
	good := claims{
		"iss": fixture.Issuer().Name(), "aud": identity.Audience("test"), "sub": "bus", "email": fixture.Issuer().Email(), "email_verified": true,
		"iat": now.Unix(), "exp": now.Add(time.Hour).Unix(),
	}
	sign := func(c claims) string { return signed(t, jose.EdDSA, ours, c) }
	right := sign(good)
	part := strings.Split(right, ".")
	richer := strings.Split(sign(good.but("email", "stranger@example.com")), ".")
	staff := check.Got(fixture.Issuer().Staff(identity.Audience("test"), "usr_1", id.New[id.Tenant](), nil, "manager")).Must(t)
	const path = "/internal/events/test-captured"
	body := wrapped(t, happened(t, captured, payload()))
	for name, test := range map[string]struct {
		header string
		want   int
	}{
		"no token":                           {"", 401},
		"an empty token":                     {"Bearer ", 401},
		"another scheme":                     {"Basic " + right, 401},
		"garbage":                            {"Bearer a.b.c", 401},
		"no algorithm":                       {"Bearer " + base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"none"}`)) + "." + part[1] + ".", 401},
		"the public key as a secret":         {"Bearer " + signed(t, jose.HS256, []byte(public), good), 401},
		"another key under our key's name":   {"Bearer " + signed(t, jose.EdDSA, ed25519.NewKeyFromSeed(bytes.Repeat([]byte{7}, 32)), good), 401},
		"claims exchanged under a signature": {"Bearer " + part[0] + "." + richer[1] + "." + part[2], 401},
		"a signature cut short":              {"Bearer " + right[:len(right)-4], 401},
		"over":                               {"Bearer " + sign(good.but("exp", now.Add(-time.Second).Unix())), 401},
		"without an end":                     {"Bearer " + sign(good.but("exp", nil)), 401},
		"from the future":                    {"Bearer " + sign(good.but("nbf", now.Add(time.Hour).Unix())), 401},
		"for another service":                {"Bearer " + sign(good.but("aud", identity.Audience("other"))), 401},
		"no audience":                        {"Bearer " + sign(good.but("aud", nil)), 401},
		"of another issuer":                  {"Bearer " + sign(good.but("iss", "https://accounts.example.com")), 401},
		"without an e-mail":                  {"Bearer " + sign(good.but("email", nil)), 403},
		"with an unverified e-mail":          {"Bearer " + sign(good.but("email_verified", false)), 401},
		"of a service that may not push":     {"Bearer " + sign(good.but("email", "stranger@example.com")), 403},
		"of staff":                           {"Bearer " + staff, 401},
	} {
		t.Run(name, func(t *testing.T) {
			fixture.As("").Post(path, body, "Authorization", test.header).Want(t, test.want)
			check.MustEqual(t, received, 0, "handled events")
		})
	}
	if a := fixture.As("").Post(path, body, "Authorization", "Bearer "+right); a.Status != 204 || received != 1 {
		t.Errorf("the right token: got %d %s, handled %d times", a.Status, a.Body, received)
	}
	check.Equal(t, len(fixture.dead.Messages()), 0, "dead letters of a refused push, which strangers could fill")
}
