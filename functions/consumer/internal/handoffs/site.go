package handoffs

import (
	"errors"
	"fmt"
	"net/url"
	"strings"

	"melmastoon.ghasi.io/functions/consumer/internal/search"
	"melmastoon.ghasi.io/shared/event/attribution"
	"melmastoon.ghasi.io/shared/handoff"
	"melmastoon.ghasi.io/shared/platform/env"
)

// A Site builds the URLs of the hotels' own booking sites.
type Site struct {
	SiteURL string `env:"TENANT_SITE_URL,default=https://{host}/"` // {host} is the hotel's host, {slug} its short name
	Domain  string `env:"SITE_DOMAIN,default=localhost"`           // the platform's domain; each hotel has the host slug.domain
}

var errSite = errors.New("site: TENANT_SITE_URL is no http URL with {host} or {slug} in it")

// OpenSite reads the configuration, and rejects a URL that is the same for every hotel.
func OpenSite(e env.Env) (s Site, err error) {
	if err := e.Load(&s); err != nil {
		return s, fmt.Errorf("site: %w", err)
	}
	u, err := url.Parse(s.at("host.example", "slug"))
	switch {
	case err != nil, u.Host == "", u.Scheme != "https" && u.Scheme != "http", u.RawQuery != "", u.Fragment != "",
		s.at("a.example", "a") == s.at("b.example", "b"):
		return s, errSite
	}
	return s, nil
}

func (s Site) at(host, slug string) string {
	return strings.NewReplacer("{host}", host, "{slug}", url.PathEscape(slug)).Replace(s.SiteURL)
}

// Link returns the URL of a handoff, on the hotel's own domain if it has one, else on its host below the platform's domain. The
// campaign is an unsigned parameter beside the token.
func (s Site) Link(t search.Tenant, token handoff.Token, c attribution.Campaign) string {
	host := t.Slug + "." + s.Domain
	if len(t.Domains) > 0 {
		host = t.Domains[0]
	}
	query := url.Values{"h": {token.Reveal()}}
	for name, value := range map[string]string{"utm_source": c.Source, "utm_medium": c.Medium, "utm_campaign": c.Campaign} {
		if value != "" {
			query.Set(name, value)
		}
	}
	return s.at(host, t.Slug) + "?" + query.Encode()
}
