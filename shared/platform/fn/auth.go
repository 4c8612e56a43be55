package fn

import (
	"context"
	"net/http"
	"strings"

	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/identity"
)

// An auth admits the callers that a Spec's Access names.
type auth struct {
	access   Access
	audience string
	verifier *identity.Verifier
}

func newAuth(e env.Env, s Spec) (auth, error) {
	g := auth{access: s.Access, audience: identity.Audience(s.Service())}
	if s.Access == Public {
		return g, nil
	}
	var err error
	g.verifier, err = identity.Open(e)
	return g, err
}

func (g auth) admit(ctx context.Context, r *http.Request, c *record) (who identity.Identity, err error) {
	if g.access == Public {
		return who, nil
	}
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if !strings.EqualFold(scheme, "Bearer") || token == "" {
		return who, fault.ErrUnauthenticated
	}
	if g.access == Desk {
		who, err = g.verifier.Any(ctx, token, g.audience)
	} else {
		who, err = g.verifier.Service(ctx, token, g.audience)
	}
	c.line.Caller = who.Email
	return who, err
}
