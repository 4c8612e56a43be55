package fn

import (
	"melmastoon.ghasi.io/shared/fn/limit"
)

// standings are where a caller stands with the limits that a call has met so far: the address, the session, and the
// tenant where that one refuses. How busy a hotel is otherwise is nobody's business.
type standings [3]limit.Standing

// arrive counts a call from an address, before anything is done for it.
func (r route) arrive(c *record) error {
	if r.limits == nil {
		return nil
	}
	c.standings[0] = r.limits.Address(c.from, c.began)
	return c.standings[0].Refused()
}

// settle counts a call of somebody who is known by now. Who asks too often does not use up what their hotel may.
func (r route) settle(c *record, s Scope) error {
	if r.limits == nil {
		return nil
	}
	c.standings[1] = r.limits.Session(s.Caller, c.began)
	if err := c.standings[1].Refused(); err != nil {
		return err
	}
	tenant := r.limits.Tenant(s.Tenant, c.began)
	err := tenant.Refused()
	if err != nil {
		c.standings[2] = tenant
	}
	return err
}

// tell says the standings in the answer's header, whatever is answered.
func (s *standings) tell(h map[string][]string) {
	if policies := limit.Policies(s[:]...); policies != "" {
		h["Ratelimit-Policy"] = []string{policies}
		h["Ratelimit"] = []string{limit.Remaining(s[:]...)}
	}
}
