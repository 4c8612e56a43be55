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
	if keys.Status != http.StatusOK {
		t.Fatalf("JWKS: status = %d: %s", keys.Status, keys.Body)
	}
	e := env.Of(map[string]string{"STAFF_ISSUER": "https://pay.example/sandbox/iam/v1", "STAFF_KEYS": string(keys.Body)})
	e.Advance(b.env.Offset())
	v, err := identity.Open(e)
	if err != nil {
		t.Fatal(err)
	}
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
	if got.Status != http.StatusCreated {
		t.Errorf("status = %d, want 201", got.Status)
	}
	who, err := b.verify(t, f, out.Token)
	if err != nil {
		t.Fatal(err)
	}
	if who.Subject != "usr_desk" {
		t.Errorf("subject = %q, want usr_desk", who.Subject)
	}
	if *who.Tenant != kabul.Tenant {
		t.Errorf("tenant = %s, want %s", who.Tenant, kabul.Tenant)
	}
	if len(who.Properties) != 1 || who.Properties[0] != kabul.Property {
		t.Errorf("properties = %v, want %s", who.Properties, kabul.Property)
	}
	if roles := strings.Join(who.Roles, " "); roles != "front_desk manager" {
		t.Errorf("roles = %s, want front_desk manager", roles)
	}
	if left := out.ExpiresAt.Sub(b.env.Now()); left > 12*time.Hour || left < time.Hour {
		t.Errorf("valid for %v, want a shift", left)
	}
	if got := f.As("").Get(jwks).Header.Get("Cache-Control"); got != "public, max-age=60" {
		t.Errorf("Cache-Control = %q, want public, max-age=60", got)
	}
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
			if got.Status != test.status {
				t.Errorf("status = %d, want %d: %s", got.Status, test.status, got.Body)
			}
			if got.Code() != test.code {
				t.Errorf("code = %s, want %s", got.Code(), test.code)
			}
		})
	}
	for _, path := range []string{staffTokens, "/sandbox/iam/v1/keys"} {
		t.Run(path, func(t *testing.T) {
			if got := f.As("").Post(path, staffRequest()); got.Status != http.StatusUnauthorized {
				t.Errorf("%s without a token: status = %d, want 401", path, got.Status)
			}
		})
	}
}

func TestHTTP_rotateKeys(t *testing.T) {
	t.Parallel()
	b := open(t)
	f := b.front(t)
	kids := func() (all []string) {
		t.Helper()
		var out readjwks.Response
		f.As("").Get(jwks).Into(t, &out)
		for _, k := range out.Keys {
			all = append(all, k.ID)
		}
		return all
	}
	if got := kids(); len(got) != 0 {
		t.Errorf("before the first token: keys = %v, want none", got)
	}
	var old, fresh mintstafftoken.Response
	f.Post(staffTokens, staffRequest()).Into(t, &old)
	b.Advance(time.Minute)
	var rotated rotatekeys.Response
	f.Post("/sandbox/iam/v1/keys", nil).Into(t, &rotated)
	f.Post(staffTokens, staffRequest()).Into(t, &fresh)
	if got := kids(); len(got) != 2 || got[0] != rotated.ID {
		t.Errorf("after the rotation: keys = %v, want %s and one more", got, rotated.ID)
	}
	for name, token := range map[string]string{"old": old.Token, "fresh": fresh.Token} {
		t.Run(name, func(t *testing.T) {
			if _, err := b.verify(t, f, token); err != nil {
				t.Errorf("the %s token: %v", name, err)
			}
		})
	}
	b.Advance(24 * time.Hour)
	if got := kids(); len(got) != 1 || got[0] != rotated.ID {
		t.Errorf("a day later: keys = %v, want %s", got, rotated.ID)
	}
	f.Post("/sandbox/iam/v1/keys", nil)
	if n := b.count(t, `SELECT count(*) FROM sandbox.staff_keys`); n != 2 {
		t.Errorf("%d keys are stored, want 2: the next rotation deletes what verifies nothing", n)
	}
}

// The first tokens are requested at the same time: there is one key.
func TestStaff_firstKeyOnce(t *testing.T) {
	t.Parallel()
	b := openConcurrent(t)
	staff, err := iam.OpenStaff(b.env.With("PUBLIC_URL", "https://pay.example"))
	if err != nil {
		t.Fatal(err)
	}
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
	if err := callers.Wait(); err != nil {
		t.Fatal(err)
	}
	if n := b.count(t, `SELECT count(*) FROM sandbox.staff_keys WHERE retired_at IS NULL`); n != 1 {
		t.Errorf("%d current keys, want 1", n)
	}
}
