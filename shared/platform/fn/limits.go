package fn

import (
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn/ratelimit"
)

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
