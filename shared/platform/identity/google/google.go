// Package google gets identity tokens from Google's metadata server, for functions that call other functions in the cloud.
package google

import (
	"context"
	"fmt"

	"cloud.google.com/go/auth"
	"cloud.google.com/go/auth/credentials/idtoken"

	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/identity"
)

// Open returns the source of this process's own tokens. It requests a token on the first call that needs one, and caches it per
// audience until shortly before its expiry.
func Open(e env.Env) identity.Source { return source{e} }

type source struct{ env env.Env }

// Token returns this process's token for an audience.
func (s source) Token(ctx context.Context, audience string) (string, error) {
	credentials, err := env.Once(s.env, "identity/google "+audience, func() (*auth.Credentials, error) {
		// The full format contains the service account's e-mail, which identifies callers.
		return idtoken.NewCredentials(&idtoken.Options{Audience: audience, ComputeTokenFormat: idtoken.ComputeTokenFormatFull})
	})
	if err != nil {
		return "", fmt.Errorf("identity: token for %s: %w", audience, err)
	}
	token, err := credentials.Token(ctx)
	if err != nil {
		return "", fmt.Errorf("identity: token for %s: %w", audience, err)
	}
	return token.Value, nil
}
