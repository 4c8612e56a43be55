// Package google has identity tokens from Google's metadata server, for functions that call functions in the cloud.
package google

import (
	"context"
	"fmt"

	"cloud.google.com/go/auth"
	"cloud.google.com/go/auth/credentials/idtoken"

	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/identity"
)

// Open returns the source of this process's own tokens. Nothing is asked for before the first call needs a token; one
// that was had is kept, per audience, until it is about to end.
func Open(e env.Env) identity.Source { return source{e} }

type source struct{ env env.Env }

// Token is this process's token for an audience.
func (s source) Token(ctx context.Context, audience string) (string, error) {
	credentials, err := env.Once(s.env, "identity/google "+audience, func() (*auth.Credentials, error) {
		// The full form names the service account's e-mail, by which callers are known.
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
