package tenantbooking

import (
	"fmt"
	"strings"

	"melmastoon.ghasi.io/shared/env"
	"melmastoon.ghasi.io/shared/fn"
	"melmastoon.ghasi.io/shared/id"
)

// A Site knows where on a hotel's site a guest goes on after paying.
type Site struct {
	ReturnURL string `env:"TENANT_RETURN_URL"`             // "https://{host}/return/{draftId}"; none: the provider shows its own end
	Domain    string `env:"SITE_DOMAIN,default=localhost"` // ours, below which each hotel has a host by its slug
}

// OpenSite reads the configuration.
func OpenSite(e env.Env) (s Site, err error) {
	if err := e.Load(&s); err != nil {
		return s, fmt.Errorf("site: %w", err)
	}
	return s, nil
}

// Return is where the guest comes back to.
func (s Site) Return(v Visitor, at fn.Site, d id.Draft) string {
	return strings.NewReplacer("{host}", s.host(v, at), "{slug}", v.Tenant.Slug, "{draftId}", d.String()).Replace(s.ReturnURL)
}

// host is the one that the guest is on: nowhere else do they have their cookie. Whoever calls on a host of all hotels is on
// the hotel's first domain, where handoffs lead, else on its host below ours.
func (s Site) host(v Visitor, at fn.Site) string {
	name := v.Tenant.Slug
	switch {
	case at.Own:
		name = v.Called
	case len(v.Tenant.Domains) > 0:
		name = v.Tenant.Domains[0]
	}
	if name == v.Tenant.Slug {
		name += "." + s.Domain
	}
	return name
}
