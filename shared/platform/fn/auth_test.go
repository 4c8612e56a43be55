package fn_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/local/signing"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
	"melmastoon.ghasi.io/shared/platform/identity"
	"melmastoon.ghasi.io/shared/testkit/check"
	"melmastoon.ghasi.io/shared/testkit/fntest"
)

func guarded(a fn.Access) fn.Function {
	return serve(fn.Spec{Name: "test-guarded", Route: "GET /guarded", Access: a}, func(context.Context, fn.Nothing, fn.Call[fn.Nothing]) (map[string]any, error) {
		return nil, nil
	})
}

func TestAuth_byToken(t *testing.T) {
	t.Parallel()
	e, issuer := fntest.Surround(t, env.Of(nil))
	audience, soon := identity.Audience("test"), e.Now().Add(time.Hour)
	tokens := map[string]string{"none": "", "garbage": "garbage"}
	var err error
	sign := func(name string, token string, err2 error) {
		if tokens[name] = token; err2 != nil {
			err = err2
		}
	}
	right, err2 := issuer.Sign(issuer.Email(), soon, audience)
	sign("service", right, err2)
	sign("forged", right[:strings.LastIndex(right, ".")]+".AAAA", nil)
	token, err2 := issuer.Sign(issuer.Email(), soon, identity.Audience("other"))
	sign("other audience", token, err2)
	token, err2 = issuer.Sign(issuer.Email(), e.Now().Add(-time.Minute), audience)
	sign("expired", token, err2)
	token, err2 = issuer.Sign("stranger@example.com", soon, audience)
	sign("stranger", token, err2)
	token, err2 = signing.NewIssuer(e, []byte(strings.Repeat("x", 32))).Sign(issuer.Email(), soon, audience)
	sign("other key", token, err2)
	token, err2 = issuer.Staff(audience, "usr_1", id.New[id.Tenant](), nil, "front_desk")
	sign("staff", token, err2)
	check.Must(t, err)
	for access, want := range map[fn.Access]map[string]int{
		fn.Public:   {"none": 200, "garbage": 200},
		fn.Internal: {"service": 200, "staff": 401, "stranger": 403, "none": 401, "garbage": 401, "forged": 401, "other audience": 401, "expired": 401, "other key": 401},
		fn.Desk:     {"service": 200, "staff": 200, "stranger": 403, "none": 401, "garbage": 401, "forged": 401, "other audience": 401, "expired": 401, "other key": 401},
	} {
		t.Run(fmt.Sprint(access), func(t *testing.T) {
			front := fntest.Behind(t, e, issuer, guarded(access))
			for name, status := range want {
				a := front.As(tokens[name]).Get("/guarded")
				check.Equal(t, a.Status, status, "%v, %s: %s", access, name, a.Body)
				if status == 401 && a.Header.Get("Www-Authenticate") != "Bearer" {
					t.Errorf("%v, %s: does not ask for a token", access, name)
				}
			}
		})
	}
}

func TestAuth_unconfigured(t *testing.T) {
	t.Parallel()
	e := env.Of(nil)
	issuer := signing.NewIssuer(e, make([]byte, 32))
	front := fntest.Behind(t, e, issuer, guarded(fn.Internal))
	front.Get("/guarded").Want(t, 401)
}
