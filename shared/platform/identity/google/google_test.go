package google_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"melmastoon.ghasi.io/shared/local/signing"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/identity"
	"melmastoon.ghasi.io/shared/platform/identity/google"
	"melmastoon.ghasi.io/shared/testkit/check"
)

// The metadata server is found by a variable of the whole process, so this test is not parallel.
func TestGoogle_tokenCached(t *testing.T) {
	asked := 0
	e := env.Of(nil)
	issuer := signing.NewIssuer(e, make([]byte, 32))
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Metadata-Flavor") != "Google" || !strings.HasSuffix(r.URL.Path, "/instance/service-accounts/default/identity") || r.FormValue("format") != "full" {
			http.NotFound(w, r)
			return
		}
		asked++
		w.Header().Set("Metadata-Flavor", "Google")
		token, err := issuer.Sign(issuer.Email(), e.Now().Add(time.Hour), r.FormValue("audience"))
		check.NoError(t, err)
		fmt.Fprint(w, token)
	}))
	defer server.Close()
	t.Setenv("GCE_METADATA_HOST", strings.TrimPrefix(server.URL, "http://"))

	verifier, err := identity.Open(env.Of(map[string]string{
		"IDENTITY_ISSUER": issuer.Name(), "IDENTITY_KEYS": string(issuer.JWKS()), "IDENTITY_CALLERS": issuer.Email(),
	}))
	check.Must(t, err)
	source := google.Open(e)
	for range 3 {
		for _, audience := range []string{identity.Audience("reservation"), identity.Audience("sandbox")} {
			t.Run(audience, func(t *testing.T) {
				token := check.Got(source.Token(t.Context(), audience)).Must(t)
				who, err := verifier.Service(context.Background(), token, audience)
				if err != nil || who.Email != issuer.Email() {
					t.Errorf("%s: got %+v, %v", audience, who, err)
				}
			})
		}
	}
	if asked != 2 {
		t.Errorf("asked the metadata server %d times for two audiences, want 2", asked)
	}
}
