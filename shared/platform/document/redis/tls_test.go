package redis_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"melmastoon.ghasi.io/shared/local/emulators"
	"melmastoon.ghasi.io/shared/local/subprocess"
	"melmastoon.ghasi.io/shared/platform/document"
	"melmastoon.ghasi.io/shared/platform/document/redis"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/testkit/check"
	"melmastoon.ghasi.io/shared/testkit/emulatortest"
)

// An authority signs certificates.
type authority struct {
	certificate *x509.Certificate
	key         *ecdsa.PrivateKey
}

func newAuthority(t testing.TB) authority {
	t.Helper()
	key := check.Got(ecdsa.GenerateKey(elliptic.P256(), rand.Reader)).Must(t)
	template := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "an authority"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true}
	der := check.Got(x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)).Must(t)
	return authority{check.Got(x509.ParseCertificate(der)).Must(t), key}
}

func inPEM(kind string, der []byte) string {
	return string(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}))
}

func (a authority) pem() string { return inPEM("CERTIFICATE", a.certificate.Raw) }

// server signs a certificate that has its host in the common name only, as Memorystore's have.
func (a authority) server(t testing.TB) (certificate, key string) {
	t.Helper()
	own := check.Got(ecdsa.GenerateKey(elliptic.P256(), rand.Reader)).Must(t)
	template := &x509.Certificate{SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: "127.0.0.1"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour)}
	der := check.Got(x509.CreateCertificate(rand.Reader, template, a.certificate, &own.PublicKey, a.key)).Must(t)
	return inPEM("CERTIFICATE", der), inPEM("PRIVATE KEY", check.Got(x509.MarshalPKCS8PrivateKey(own)).Must(t))
}

const password = "open sesame"

// guarded is a Redis server that asks for a password and speaks TLS.
func guarded(t testing.TB, a authority) (address string) {
	t.Helper()
	emulatortest.Redis(t) // or the test is skipped
	server, err := emulators.Redis(t.Context())
	check.Must(t, err)
	t.Cleanup(func() { check.Must(t, server.Stop()) })
	address, err = subprocess.FreeAddress()
	check.Must(t, err)
	_, port, _ := strings.Cut(address, ":")
	files := t.TempDir()
	put := func(name, text string) string {
		path := filepath.Join(files, name)
		check.Must(t, os.WriteFile(path, []byte(text), 0o600))
		return path
	}
	certificate, key := a.server(t)
	check.Must(t, client(t, server.Address()).Do(t.Context(), "CONFIG", "SET",
		"tls-cert-file", put("certificate", certificate), "tls-key-file", put("key", key), "tls-auth-clients", "no",
		"tls-port", port, "requirepass", password).Err())
	return address
}

func TestRedis_tlsAuthority(t *testing.T) {
	t.Parallel()
	right, wrong := newAuthority(t), newAuthority(t)
	address := guarded(t, right)
	for name, test := range map[string]struct {
		url, ca string
		reached bool
	}{
		"as it should be":         {"rediss://:open%20sesame@" + address, right.pem(), true},
		"one of two authorities":  {"rediss://:open%20sesame@" + address, wrong.pem() + right.pem(), true},
		"another authority":       {"rediss://:open%20sesame@" + address, wrong.pem(), false},
		"whom the machine trusts": {"rediss://:open%20sesame@" + address, "", false},
		"another password":        {"rediss://:sesame@" + address, right.pem(), false},
		"no password":             {"rediss://" + address, right.pem(), false},
		"without TLS":             {"redis://:open%20sesame@" + address, "", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := env.Of(map[string]string{"REDIS_URL": test.url, "REDIS_CA": test.ca})
			t.Cleanup(func() { check.Must(t, e.Close(context.Background())) })
			ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
			defer cancel()
			stored, err := redis.Open(e).Create(ctx, time.Now(), document.Name{Collection: "sessions", ID: name}, document.Record{ExpiresAt: time.Now().Add(time.Hour)})
			if stored != test.reached || (err == nil) != test.reached {
				t.Errorf("got %v, %v", stored, err)
			}
		})
	}
}
