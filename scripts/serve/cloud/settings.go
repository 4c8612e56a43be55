package cloud

import (
	"strings"
	"time"

	"melmastoon.ghasi.io/shared/document"
	documents "melmastoon.ghasi.io/shared/document/pg"
	"melmastoon.ghasi.io/shared/env"
	"melmastoon.ghasi.io/shared/fn/observe"
	"melmastoon.ghasi.io/shared/identity"
)

// neighbours are the platform services that the sandbox stands in for, each under a base path of its own.
var neighbours = []string{"tenant", "theme", "property", "pricing", "inventory", "payment"}

// settle tells the functions where everything is: on this one address.
func settle(c Config, issuer *identity.Issuer, url string) env.Env {
	e := c.Env.
		With("IDEMPOTENCY_KEYS", c.Secret.ring("idempotency")).
		With("TENANT_SESSION_KEYS", c.Secret.ring("tenant session")).
		With("PSEUDONYM_PEPPERS", c.Secret.ring("pseudonym")).
		With("HANDOFF_KEYS", c.Secret.ring("handoff")).
		With("GUEST_SALT_KEYS", c.Secret.ring("guest salt")).
		With("TENANT_RETURN_URL", url+"/site/{slug}/return/{draftId}").
		With("UPSTREAM_RESERVATION_URL", url+"/api/v1/reservations").
		With("PUBLIC_URL", url).
		With("IDENTITY_ISSUER", issuer.Name()).
		With("IDENTITY_KEYS", string(issuer.JWKS())).
		With("IDENTITY_CALLERS", issuer.Email()).
		With("STAFF_ISSUER", issuer.Name()).
		With("STAFF_KEYS", string(issuer.JWKS()))
	for _, name := range neighbours {
		at := "UPSTREAM_" + strings.ToUpper(name)
		e = e.With(at+"_URL", url+"/sandbox/"+name+"/v1").With(at+"_AUDIENCE", identity.Audience("sandbox"))
	}
	if c.Log != nil {
		e = env.Give(e, observe.To(c.Log))
	}
	if _, given := env.Given[document.Store](e); !given {
		e = env.Give[document.Store](e, documents.Open(e))
	}
	return env.Give[identity.Source](e, issuer)
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
