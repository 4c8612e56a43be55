package deployment

import (
	"fmt"
	"net/http"

	"melmastoon.ghasi.io/shared/platform/document"
	"melmastoon.ghasi.io/shared/platform/document/firestore"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
)

// Secrets lists the variables that hold keys. Each is a keyring with its own secret.
var Secrets = []string{"CONSUMER_SESSION_KEYS", "GUEST_SALT_KEYS", "HANDOFF_KEYS", "IDEMPOTENCY_KEYS", "PSEUDONYM_PEPPERS", "RETURN_LINK_KEYS",
	"TENANT_SESSION_KEYS", "VIEW_TOKEN_KEYS"}

// ring is a valid keyring for opening functions. It encrypts nothing.
const ring = "none:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="

// secrets returns the secrets that the function needs. It opens the function with all secrets but one, and a secret is
// needed if that fails. Opening a function makes no connection.
func secrets(f fn.Function) ([]string, error) {
	if _, err := open(f, ""); err != nil {
		return nil, fmt.Errorf("does not open: %w", err)
	}
	needed := []string{}
	for _, name := range Secrets {
		if _, err := open(f, name); err != nil {
			needed = append(needed, name)
		}
	}
	return needed, nil
}

// open opens the function with a complete Env except for the secret left out.
func open(f fn.Function, left string) (http.Handler, error) {
	e := env.Of(map[string]string{"GOOGLE_CLOUD_PROJECT": "nowhere", "PUBLIC_URL": "https://example.com"})
	for _, name := range Secrets {
		if name != left {
			e = e.With(name, ring)
		}
	}
	return f.Handler(document.StoreKey.With(e, firestore.Open(e)))
}
