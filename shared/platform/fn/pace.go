package fn

import (
	"cmp"

	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn/ratelimit"
)

// A pace applies rate limits to the callers of one function.
type pace struct {
	requests *ratelimit.Limiter // nil if only services, the bus or the scheduler call
	acts     *ratelimit.Limiter // nil if the function has no limits on acts
}

func openPace(e env.Env, s Spec) (p pace, err error) {
	if s.Access != Public && s.Access != Desk {
		return p, nil
	}
	if p.requests, err = ratelimit.Open(e); err == nil && s.Acts != (ratelimit.Rates{}) {
		p.acts, err = ratelimit.OpenActs(e, s.Acts)
	}
	return p, err
}

// arrive counts a request from an address, before anything is done for it.
func (c *record) arrive() error {
	if c.frame.pace.requests == nil {
		return nil
	}
	c.limits[0] = c.frame.pace.requests.Address(c.from, c.began)
	return c.limits[0].Refused()
}

// settle counts a request of a session whose scope is known. A rejected session does not use up its tenant's limit.
func (c *record) settle(s Scope) error {
	if c.frame.pace.requests == nil {
		return nil
	}
	c.limits[1] = c.frame.pace.requests.Session(s.Caller, c.began)
	if err := c.limits[1].Refused(); err != nil {
		return err
	}
	tenant := c.frame.pace.requests.Tenant(s.Tenant, c.began)
	err := tenant.Refused()
	if err != nil {
		c.limits[2] = tenant
	}
	return err
}

// perform runs do and counts it as an act, or returns the error of a limit. An act without a final answer is not counted,
// because the caller will retry it.
func (c *record) perform(s Scope, do func() answer) (a answer, err error) {
	if c.frame.pace.acts == nil {
		return do(), nil
	}
	address, session := c.frame.pace.acts.Address(c.from, c.began), c.frame.pace.acts.Session(s.Caller, c.began)
	c.limits[0], c.limits[1] = address, session
	if err = cmp.Or(address.Refused(), session.Refused()); err == nil {
		a = do()
	}
	if err != nil || !a.Final() {
		address.Undo()
		session.Undo()
	}
	return a, err
}
