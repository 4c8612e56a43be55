package fn

import (
	"context"
	"net/http"
	"strings"

	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/platform/identity"
)

// admit authenticates a caller that the Access of a function names.
func (c *record) admit(ctx context.Context, r *http.Request) (who identity.Identity, err error) {
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if !strings.EqualFold(scheme, "Bearer") || token == "" {
		return who, fault.ErrUnauthenticated
	}
	f := c.frame
	verify := f.verifier.Service
	if f.spec.Access == Desk {
		verify = f.verifier.Any
	}
	who, err = verify(ctx, token, identity.Audience(f.spec.Service()))
	c.line.Caller = who.Email
	return who, err
}
