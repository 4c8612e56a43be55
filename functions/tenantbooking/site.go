package tenantbooking

import (
	"errors"
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
	ReturnURL string `env:"TENANT_RETURN_URL"`             // "https://{site}/return/{draftId}", or with {slug}; none: the provider shows its own end
	Domain    string `env:"SITE_DOMAIN,default=localhost"` // ours: of the host of all hotels, below which each has one by its slug

	Keys keyring.Ring `env:"RETURN_LINK_KEYS,required"`
}

// returnLinkLife is how long a return link is good after the hold of its rooms has ended.
const returnLinkLife = 2 * time.Hour

var errReturnURL = errors.New("site: TENANT_RETURN_URL is no http URL of {site}, {slug} and {draftId}")

// OpenSite reads the configuration.
func OpenSite(e env.Env) (s Site, err error) {
	if err := e.Load(&s); err != nil {
		return s, fmt.Errorf("site: %w", err)
	}
	page := s.fill("hotel.example", "hotel", "draft")
	u, err := url.Parse(page)
	if page != "" && (err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" || strings.ContainsAny(page, "{}")) {
		return s, errReturnURL
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
	return s.fill(s.of(v, at), v.Tenant.Slug, d.String())
}

func (s Site) fill(site, slug, draft string) string {
	return strings.NewReplacer("{site}", site, "{slug}", slug, "{draftId}", draft).Replace(s.ReturnURL)
}

// of is the hotel's site on the host that the guest is on: only there do they have their cookie. A host of all hotels is our
// domain, with the hotel by the name that the guest's calls have: the cookie's path begins with it.
func (s Site) of(v Visitor, at fn.Site) string {
	switch {
	case !at.Own:
		return s.Domain + "/" + url.PathEscape(v.Called)
	case v.Called == v.Tenant.Slug:
		return v.Called + "." + s.Domain
	}
	return v.Called
}
