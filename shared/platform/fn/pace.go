package fn

import (
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn/ratelimit"
)

// A pace holds the callers of one function to its limits.
type pace struct {
	requests *ratelimit.Limiter // nil where only services, the bus or the scheduler call
	acts     *ratelimit.Limiter // nil where requests alone are counted
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

// outcomes are where a caller stands with the limits that a call has met so far: the address, the session, and the
// tenant where that one refuses. How busy a hotel is otherwise is nobody's business.
type outcomes [3]ratelimit.Standing

// arrive counts a request from an address, before anything is done for it.
func (c *record) arrive() error {
	if c.pace.requests == nil {
		return nil
	}
	c.standings[0] = c.pace.requests.Address(c.from, c.began)
	return c.standings[0].Refused()
}

// settle counts a request of somebody who is known by now. Who asks too often does not use up what their hotel may.
func (c *record) settle(s Scope) error {
	if c.pace.requests == nil {
		return nil
	}
	c.standings[1] = c.pace.requests.Session(s.Caller, c.began)
	if err := c.standings[1].Refused(); err != nil {
		return err
	}
	tenant := c.pace.requests.Tenant(s.Tenant, c.began)
	err := tenant.Refused()
	if err != nil {
		c.standings[2] = tenant
	}
	return err
}

// perform runs do and counts it as an act, or returns the error of a limit. An act without a final answer is not counted, since
// the caller will try it again.
func (c *record) perform(s Scope, do func() answer) (answer, error) {
	if c.pace.acts == nil {
		return do(), nil
	}
	c.standings[0], c.standings[1] = c.pace.acts.Address(c.from, c.began), c.pace.acts.Session(s.Caller, c.began)
	for _, standing := range c.standings[:2] {
		if err := standing.Refused(); err != nil {
			c.undo()
			return answer{}, err
		}
	}
	a := do()
	if !a.Final() {
		c.undo()
	}
	return a, nil
}

func (c *record) undo() {
	for _, standing := range c.standings[:2] {
		standing.Undo()
	}
}

// tell says the standings in the answer's header, whatever is answered.
func (s *outcomes) tell(h map[string][]string) {
	if policies := ratelimit.Policies(s[:]...); policies != "" {
		h["Ratelimit-Policy"] = []string{policies}
		h["Ratelimit"] = []string{ratelimit.Remaining(s[:]...)}
	}
}
