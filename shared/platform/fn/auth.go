package fn

import (
	"context"
	"net/http"
	"strings"

	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn/ratelimit"
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

// openLimiter returns the rate limits of a function, or nil if only services, the bus or the scheduler call it.
func openLimiter(e env.Env, s Spec) (*ratelimit.Limiter, error) {
	if s.Access != Public && s.Access != Desk {
		return nil, nil
	}
	return ratelimit.Open(e)
}

// countAddress counts a request of its client address. It is called before any work for the request.
func (c *record) countAddress() error {
	if c.frame.limiter == nil {
		return nil
	}
	c.limits[0] = c.frame.limiter.Address(c.from, c.began)
	return c.limits[0].Refused()
}

// countSession counts a request of its session and its tenant. A rejected session does not use up its tenant's limit.
func (c *record) countSession(s Scope) error {
	if c.frame.limiter == nil {
		return nil
	}
	c.limits[1] = c.frame.limiter.Session(s.Caller, c.began)
	if err := c.limits[1].Refused(); err != nil {
		return err
	}
	tenant := c.frame.limiter.Tenant(s.Tenant, c.began)
	err := tenant.Refused()
	if err != nil {
		c.limits[2] = tenant
	}
	return err
}
