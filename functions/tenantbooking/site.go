package tenantbooking

import (
	"fmt"
	"net/url"
	"strings"
	"time"

	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/keyring"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
)

// A Site knows where on a hotel's site a guest goes on after paying.
type Site struct {
	ReturnURL string `env:"TENANT_RETURN_URL"`             // "https://{host}/return/{draftId}"; none: the provider shows its own end
	Domain    string `env:"SITE_DOMAIN,default=localhost"` // ours, below which each hotel has a host by its slug

	Keys keyring.Ring `env:"RETURN_LINK_KEYS,required"`
}

// returnLinkLife is how long a return link is good after the hold of its rooms has ended.
const returnLinkLife = 2 * time.Hour

// OpenSite reads the configuration.
func OpenSite(e env.Env) (s Site, err error) {
	if err := e.Load(&s); err != nil {
		return s, fmt.Errorf("site: %w", err)
	}
	return s, nil
}

// Return is where the guest comes back to after paying with that method, with a token ?r= that Opens accepts: a guest who comes
// back in another browser, such as the one inside a wallet app, learns what became of the payment. A repeated call returns the
// same URL, since the payment service gets it under the same idempotency key. That service names the intent only in its answer,
// so the token covers the reservation and the method in its place.
func (s Site) Return(v Visitor, at fn.Site, d *Draft, m Method) string {
	if s.ReturnURL == "" {
		return ""
	}
	token, _ := s.Keys.Tag(returnParts(d.Tenant, d.ID, d.Hold.Reservation, m)...) // fails for an empty ring only, which does not load
	separator := "?"
	if strings.Contains(s.ReturnURL, "?") {
		separator = "&"
	}
	return s.page(v, at, d.ID) + separator + url.Values{"r": {token}}.Encode()
}

// Opens reports whether the token is the one of the draft's payment, and not expired.
func (s Site) Opens(token string, d *Draft) bool {
	return d.Hold != nil && d.Payment != nil && d.AsOf.Before(d.Hold.ExpiresAt.Add(returnLinkLife)) &&
		s.Keys.Tagged(token, returnParts(d.Tenant, d.ID, d.Hold.Reservation, d.Payment.Method)...)
}

func returnParts(t id.Tenant, d id.Draft, r id.Reservation, m Method) []string {
	return []string{"return", t.String(), d.String(), r.String(), string(m)}
}

// page is the URL of the page that receives the guest.
func (s Site) page(v Visitor, at fn.Site, d id.Draft) string {
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
