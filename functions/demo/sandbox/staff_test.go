package sandbox_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"melmastoon.ghasi.io/functions/demo/sandbox/demo"
	"melmastoon.ghasi.io/functions/demo/sandbox/internal/iam"
	"melmastoon.ghasi.io/functions/demo/sandbox/mintstafftoken"
	"melmastoon.ghasi.io/functions/demo/sandbox/readjwks"
	"melmastoon.ghasi.io/functions/demo/sandbox/rotatekeys"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/identity"
	"melmastoon.ghasi.io/shared/testkit/check"
	"melmastoon.ghasi.io/shared/testkit/fntest"
)

const (
	staffTokens = "/sandbox/iam/v1/staff-tokens"
	jwks        = "/sandbox/iam/v1/jwks"
)

func staffRequest() body {
	return body{"tenantId": kabul.Tenant, "propertyIds": []id.Property{kabul.Property}, "roles": []string{"front_desk", "manager"}, "subject": "usr_desk"}
}

// verify verifies a staff token for the reservation service and for this one with the keys that the sandbox publishes now.
func (b books) verify(t *testing.T, f *fntest.Front, token string) (identity.Identity, error) {
	t.Helper()
	keys := f.As("").Get(jwks)
	keys.Must(t, http.StatusOK)
	e := env.Of(map[string]string{"STAFF_ISSUER": "https://pay.example/sandbox/iam/v1", "STAFF_KEYS": string(keys.Body)})
	e.Advance(b.env.Offset())
	v, err := identity.Open(e)
	check.Must(t, err)
	if _, err := v.Staff(t.Context(), token, identity.Audience("sandbox")); err != nil {
		return identity.Identity{}, err
	}
	return v.Staff(t.Context(), token, identity.Audience("reservation"))
}

func TestHTTP_staffToken(t *testing.T) {
	t.Parallel()
	b := open(t)
	f := b.front(t)
	var out mintstafftoken.Response
	got := f.Post(staffTokens, staffRequest())
	got.Into(t, &out)
	got.Want(t, http.StatusCreated)
	who, err := b.verify(t, f, out.Token)
	check.Must(t, err)
	check.Equal(t, who.Subject, "usr_desk")
	check.Equal(t, *who.Tenant, kabul.Tenant, "tenant = %s", who.Tenant)
	check.Equal(t, who.Properties, []id.Property{kabul.Property})
	check.Equal(t, strings.Join(who.Roles, " "), "front_desk manager")
	if left := out.ExpiresAt.Sub(b.env.Now()); left > 12*time.Hour || left < time.Hour {
		t.Errorf("valid for %v, want a shift", left)
	}
	check.Equal(t, f.As("").Get(jwks).Header.Get("Cache-Control"), "public, max-age=60")
}

func TestHTTP_staffTokenRejected(t *testing.T) {
	t.Parallel()
	b := open(t)
	f := b.front(t)
	for _, test := range []struct {
		name, member string
		value        any
		status       int
		code         string
	}{
		{"an unknown role", "roles", []string{"owner"}, 400, "GENERAL.VALIDATION_FAILED"},
		{"no role", "roles", []string{}, 400, "GENERAL.VALIDATION_FAILED"},
		{"no property", "propertyIds", []id.Property{}, 400, "GENERAL.VALIDATION_FAILED"},
		{"an e-mail as subject", "subject", "z@example.com", 400, "GENERAL.VALIDATION_FAILED"},
		{"another tenant's property", "propertyIds", []id.Property{demo.HeratGarden.Property}, 404, "GENERAL.RESOURCE_NOT_FOUND"},
		{"an unknown tenant", "tenantId", id.New[id.Tenant](), 404, "TENANT.UNKNOWN"},
	} {
		t.Run(test.name, func(t *testing.T) {
			in := staffRequest()
			in[test.member] = test.value
			got := f.Post(staffTokens, in)
			got.WantProblem(t, test.status, test.code)
		})
	}
	for _, path := range []string{staffTokens, "/sandbox/iam/v1/keys"} {
		t.Run(path, func(t *testing.T) {
			f.As("").Post(path, staffRequest()).Want(t, http.StatusUnauthorized)
		})
	}
}

func TestHTTP_rotateKeys(t *testing.T) {
	t.Parallel()
	b := open(t)
	f := b.front(t)
	kids := func() (all []string) {
		t.Helper()
		out := fntest.Read[readjwks.Response](t, f.As("").Get(jwks))
		for _, k := range out.Keys {
			all = append(all, k.ID)
		}
		return all
	}
	check.Equal(t, len(kids()), 0, "before the first token: keys")
	var old, fresh mintstafftoken.Response
	f.Post(staffTokens, staffRequest()).Into(t, &old)
	b.Advance(time.Minute)
	rotated := fntest.Read[rotatekeys.Response](t, f.Post("/sandbox/iam/v1/keys", nil))
	f.Post(staffTokens, staffRequest()).Into(t, &fresh)
	if got := kids(); len(got) != 2 || got[0] != rotated.ID {
		t.Errorf("after the rotation: keys = %v, want %s and one more", got, rotated.ID)
	}
	for name, token := range map[string]string{"old": old.Token, "fresh": fresh.Token} {
		t.Run(name, func(t *testing.T) {
			check.Got(b.verify(t, f, token)).NoError(t, "the token")
		})
	}
	b.Advance(24 * time.Hour)
	if got := kids(); len(got) != 1 || got[0] != rotated.ID {
		t.Errorf("a day later: keys = %v, want %s", got, rotated.ID)
	}
	f.Post("/sandbox/iam/v1/keys", nil)
	check.Equal(t, b.count(t, `SELECT count(*) FROM sandbox.staff_keys`), 2, "keys are stored: the next rotation deletes what verifies nothing")
}

// The first tokens are requested at the same time: there is one key.
func TestStaff_firstKeyOnce(t *testing.T) {
	t.Parallel()
	b := openConcurrent(t)
	staff, err := iam.OpenStaff(b.env.With("PUBLIC_URL", "https://pay.example"))
	check.Must(t, err)
	callers, ctx := errgroup.WithContext(t.Context())
	for n := range 16 {
		callers.Go(func() error {
			if n == 0 {
				_, err := staff.Rotate(ctx)
				return err
			}
			_, _, err := staff.Token(ctx, iam.Member{Tenant: kabul.Tenant, Properties: []id.Property{kabul.Property}, Roles: []iam.Role{"manager"}, Subject: "usr_1"})
			return err
		})
	}
	check.Must(t, callers.Wait())
	check.Equal(t, b.count(t, `SELECT count(*) FROM sandbox.staff_keys WHERE retired_at IS NULL`), 1, "current keys")
}
