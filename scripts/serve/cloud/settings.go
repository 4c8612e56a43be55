package cloud

import (
	"strings"
	"time"

	"melmastoon.ghasi.io/shared/local/documents"
	"melmastoon.ghasi.io/shared/local/signing"
	"melmastoon.ghasi.io/shared/platform/document"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn/observe"
	"melmastoon.ghasi.io/shared/platform/identity"
)

// neighbours are the platform services that the sandbox provides, each below its own base path.
var neighbours = []string{"tenant", "theme", "property", "pricing", "inventory", "lock", "payment", "search", "challenge", "iam"}

// Variables returns the functions' environment: the URLs of all services on this one address, and the secrets of this
// machine. Functions in other processes get the same variables.
func Variables(secret Secret, issuer *signing.Issuer, url string) map[string]string {
	v := map[string]string{
		"IDEMPOTENCY_KEYS":         secret.ring("idempotency"),
		"TENANT_SESSION_KEYS":      secret.ring("tenant session"),
		"VIEW_TOKEN_KEYS":          secret.ring("view token"),
		"RETURN_LINK_KEYS":         secret.ring("return link"),
		"CONSUMER_SESSION_KEYS":    secret.ring("consumer session"),
		"PSEUDONYM_PEPPERS":        secret.ring("pseudonym"),
		"HANDOFF_KEYS":             secret.ring("handoff"),
		"GUEST_SALT_KEYS":          secret.ring("guest salt"),
		"TENANT_SITE_URL":          url + "/site/{slug}", // the hotels' own domains do not resolve here
		"TENANT_RETURN_URL":        url + "/site/{slug}/return/{draftId}",
		"TENANT_CONFIRMATION_URL":  url + "/site/{slug}/confirmations/{reservationId}",
		"UPSTREAM_RESERVATION_URL": url + "/api/v1/reservations",
		"PUBLIC_URL":               url,
		"FORWARD_HEADER":           "X-Sandbox-Scenario",
		"RATE_LIMIT_ADDRESS":       "off", // all clients have the same address here
		"IDENTITY_ISSUER":          issuer.Name(),
		"IDENTITY_KEYS":            string(issuer.JWKS()),
		"IDENTITY_CALLERS":         issuer.Email(),
		"DESK_CALLERS":             issuer.Email(), // all services of the local cloud have the same account
		"STAFF_ISSUER":             url + "/sandbox/iam/v1",
		"STAFF_KEYS":               url + "/sandbox/iam/v1/jwks",
	}
	for _, name := range neighbours {
		at := "UPSTREAM_" + strings.ToUpper(name)
		v[at+"_URL"] = url + "/sandbox/" + name + "/v1"
		v[at+"_AUDIENCE"] = identity.Audience("sandbox")
	}
	return v
}

// settle returns the Env of the functions in this process.
func settle(c Config, issuer *signing.Issuer, url string) env.Env {
	e := c.Env
	for key, value := range Variables(c.Secret, issuer, url) {
		e = e.With(key, value)
	}
	var asked struct {
		AddressLimit string `env:"RATE_LIMIT_ADDRESS"`
		SiteURL      string `env:"TENANT_SITE_URL"`
		ReturnURL    string `env:"TENANT_RETURN_URL"`
		HandoffKeys  string `env:"HANDOFF_KEYS"`
	}
	if err := c.Env.Load(&asked); err == nil {
		for name, value := range map[string]string{
			"RATE_LIMIT_ADDRESS": asked.AddressLimit, "TENANT_SITE_URL": asked.SiteURL, "TENANT_RETURN_URL": asked.ReturnURL,
			"HANDOFF_KEYS": asked.HandoffKeys,
		} {
			if value != "" {
				e = e.With(name, value)
			}
		}
	}
	if c.Log != nil {
		e = observe.LogKey.With(e, observe.To(c.Log))
	}
	if _, given := document.StoreKey.Get(e); !given {
		e = document.StoreKey.With(e, documents.Open(e))
	}
	return identity.SourceKey.With(e, issuer)
}

// dayLong is the lifetime of a token that a person pastes into a shell.
const dayLong = 24 * time.Hour

// Token returns a token for the internal functions of every service. It is valid for a day.
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
