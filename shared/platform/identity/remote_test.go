package identity_test

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"

	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/identity"
	"melmastoon.ghasi.io/shared/testkit/check"
)

// A publisher publishes a JWKS over http on this machine.
type publisher struct {
	url     string
	fetches atomic.Int64

	mu   sync.Mutex
	keys map[string]ed25519.PrivateKey
	down bool
}

func publish(t *testing.T) *publisher {
	t.Helper()
	p := &publisher{keys: map[string]ed25519.PrivateKey{}}
	server := httptest.NewServer(p)
	t.Cleanup(server.Close)
	p.url = server.URL
	return p
}

func (p *publisher) add(t *testing.T, kid string) ed25519.PrivateKey {
	t.Helper()
	_, key, err := ed25519.GenerateKey(rand.Reader)
	check.Must(t, err)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.keys[kid] = key
	return key
}

func (p *publisher) change(f func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	f()
}

// ServeHTTP returns the JWKS.
func (p *publisher) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	p.fetches.Add(1)
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.down {
		w.WriteHeader(http.StatusServiceUnavailable)
		return
	}
	set := map[string][]map[string]string{"keys": {}}
	for kid, key := range p.keys {
		set["keys"] = append(set["keys"], map[string]string{"kty": "OKP", "crv": "Ed25519", "x": b64(key[32:]), "kid": kid})
	}
	if err := json.NewEncoder(w).Encode(set); err != nil {
		panic(err)
	}
}

// A fixture verifies staff tokens with the published keys.
type fixture struct {
	*publisher
	*identity.Verifier
	env env.Env
}

func (p *publisher) open(t *testing.T) fixture {
	t.Helper()
	e := env.Of(map[string]string{"STAFF_ISSUER": "https://iam.example", "STAFF_KEYS": p.url})
	return fixture{p, check.Got(identity.Open(e)).Must(t), e}
}

// token returns a staff token that is signed with a key. It is valid for a shift.
func (d fixture) token(t *testing.T, kid string, key ed25519.PrivateKey) string {
	t.Helper()
	signer := check.Got(jose.NewSigner(jose.SigningKey{Algorithm: jose.EdDSA, Key: key}, (&jose.SignerOptions{}).WithHeader("kid", kid))).Must(t)
	registered := jwt.Claims{Issuer: "https://iam.example", Audience: jwt.Audience{audience}, Subject: "usr_1",
		IssuedAt: jwt.NewNumericDate(d.env.Now()), Expiry: jwt.NewNumericDate(d.env.Now().Add(12 * time.Hour))}
	return check.Got(jwt.Signed(signer).Claims(registered).Claims(map[string]any{"tenant_id": id.New[id.Tenant]()}).Serialize()).Must(t)
}

func TestRemoteKeys_rotation(t *testing.T) {
	t.Parallel()
	p := publish(t)
	first := p.add(t, "one")
	d := p.open(t)
	check.Got(d.Staff(t.Context(), d.token(t, "one", first), audience)).Must(t)
	d.env.Advance(2 * time.Second)
	second := p.add(t, "two")
	if _, err := d.Staff(t.Context(), d.token(t, "two", second), audience); err != nil {
		t.Errorf("a token with the new key: %v", err)
	}
	old := d.token(t, "one", first)
	p.change(func() { delete(p.keys, "one") })
	if _, err := d.Staff(t.Context(), old, audience); err != nil {
		t.Errorf("a token with the removed key, from the cache: %v", err)
	}
	d.env.Advance(5 * time.Minute)
	if _, err := d.Staff(t.Context(), old, audience); !errors.Is(err, fault.ErrUnauthenticated) {
		t.Errorf("a token with the removed key after the cache's lifetime: %v, want ErrUnauthenticated", err)
	}
	if _, err := d.Staff(t.Context(), d.token(t, "two", first), audience); !errors.Is(err, fault.ErrUnauthenticated) {
		t.Errorf("a token with another key's id: %v, want ErrUnauthenticated", err)
	}
}

func TestRemoteKeys_unavailable(t *testing.T) {
	t.Parallel()
	p := publish(t)
	key := p.add(t, "one")
	d := p.open(t)
	token := d.token(t, "one", key)
	for _, step := range []struct {
		name  string
		after time.Duration
		down  bool
		valid bool
	}{
		{name: "before the first fetch", down: true},
		{name: "after the first fetch", after: 2 * time.Second, valid: true},
		{name: "within an hour", after: 50 * time.Minute, down: true, valid: true},
		{name: "after an hour", after: 11 * time.Minute, down: true},
		{name: "back again", after: 2 * time.Second, valid: true},
	} {
		t.Run(step.name, func(t *testing.T) {
			p.change(func() { p.down = step.down })
			d.env.Advance(step.after)
			_, err := d.Staff(t.Context(), token, audience)
			if (err == nil) != step.valid {
				t.Errorf("%s: error = %v, want valid: %t", step.name, err, step.valid)
			}
			if err != nil && !errors.Is(err, fault.ErrUnauthenticated) {
				t.Errorf("%s: error = %v, want ErrUnauthenticated", step.name, err)
			}
		})
	}
}

// Callers with invented key ids cause one fetch per second at most.
func TestRemoteKeys_unknownKeys(t *testing.T) {
	t.Parallel()
	p := publish(t)
	key := p.add(t, "one")
	d := p.open(t)
	began := time.Now()
	var crowd sync.WaitGroup
	for n := range 50 {
		crowd.Go(func() {
			if _, err := d.Staff(t.Context(), d.token(t, fmt.Sprint("invented ", n), key), audience); !errors.Is(err, fault.ErrUnauthenticated) {
				t.Errorf("error = %v, want ErrUnauthenticated", err)
			}
		})
	}
	crowd.Wait()
	if got, most := p.fetches.Load(), int64(time.Since(began)/time.Second)+1; got > most {
		t.Errorf("%d fetches in %v, want at most %d", got, time.Since(began), most)
	}
	if _, err := d.Staff(t.Context(), d.token(t, "one", key), audience); err != nil {
		t.Errorf("a known key: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := d.Staff(ctx, d.token(t, "invented", key), audience); !errors.Is(err, fault.ErrUnauthenticated) {
		t.Errorf("a caller that has gone: error = %v, want ErrUnauthenticated", err)
	}
}

func TestOpen_keyURL(t *testing.T) {
	t.Parallel()
	for url, want := range map[string]bool{
		"https://iam.example/jwks":       true,
		"http://127.0.0.1:8080/jwks":     true,
		"http://[::1]:8080/jwks":         true,
		"http://localhost:8080/jwks":     true,
		"http://iam.example/jwks":        false,
		"http://127.0.0.1.example/jwks":  false,
		"http://localhost.example/jwks":  false,
		"http://10.0.0.1/jwks":           false,
		"https:///jwks":                  false,
		"ftp://127.0.0.1/jwks":           false,
		"http://127.0.0.1@example/jwks":  false,
		"https://user@iam.example/jwks/": true,
	} {
		t.Run(url, func(t *testing.T) {
			t.Parallel()
			_, err := identity.Open(env.Of(map[string]string{"STAFF_ISSUER": "i", "STAFF_KEYS": url}))
			if (err == nil) != want {
				t.Errorf("error = %v, want accepted: %t", err, want)
			}
		})
	}
}
