package cloud

import (
	"strings"
	"time"

	"melmastoon.ghasi.io/shared/env"
	"melmastoon.ghasi.io/shared/fn/observe"
	"melmastoon.ghasi.io/shared/identity"
)

// neighbours are the platform services that the sandbox stands in for, each under a base path of its own.
var neighbours = []string{"tenant", "property", "pricing", "inventory", "payment"}

// settle tells the functions where everything is: on this one address.
func settle(c Config, url string) env.Env {
	e := c.Env.
		With("PUBLIC_URL", url).
		With("IDENTITY_ISSUER", c.Issuer.Name()).
		With("IDENTITY_KEYS", string(c.Issuer.JWKS())).
		With("IDENTITY_CALLERS", c.Issuer.Email()).
		With("STAFF_ISSUER", c.Issuer.Name()).
		With("STAFF_KEYS", string(c.Issuer.JWKS()))
	for _, name := range neighbours {
		at := "UPSTREAM_" + strings.ToUpper(name)
		e = e.With(at+"_URL", url+"/sandbox/"+name+"/v1").With(at+"_AUDIENCE", identity.Audience("sandbox"))
	}
	if c.Log != nil {
		e = env.Give(e, observe.To(c.Log))
	}
	return env.Give[identity.Source](e, c.Issuer)
}

// dayLong is how long a token lasts that a person pastes into a shell.
const dayLong = 24 * time.Hour

// Token is what a neighbour shows to the internal functions of every service here. It is good for a day.
func (c *Cloud) Token() (string, error) {
	services := map[string]bool{}
	var audiences []string
	for _, f := range c.functions {
		if name := f.Spec.Service(); !services[name] {
			services[name] = true
			audiences = append(audiences, identity.Audience(name))
		}
	}
	return c.issuer.Sign(c.issuer.Email(), c.env.Now().Add(dayLong), audiences...)
}
