package tenantbooking

import (
	"fmt"
	"strings"

	"melmastoon.ghasi.io/shared/env"
	"melmastoon.ghasi.io/shared/id"
)

// A Site knows where on a hotel's site a guest goes on after paying.
type Site struct {
	ReturnURL string `env:"TENANT_RETURN_URL"` // "https://{slug}.example/return/{draftId}"; none: the provider shows its own end
}

// OpenSite reads the configuration.
func OpenSite(e env.Env) (s Site, err error) {
	if err := e.Load(&s); err != nil {
		return s, fmt.Errorf("site: %w", err)
	}
	return s, nil
}

// Return is where the guest comes back to.
func (s Site) Return(t Tenant, d id.Draft) string {
	return strings.NewReplacer("{slug}", t.Slug, "{draftId}", d.String()).Replace(s.ReturnURL)
}
