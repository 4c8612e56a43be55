package handoffs

import (
	"net/url"
	"testing"

	"melmastoon.ghasi.io/functions/consumer/internal/search"
	"melmastoon.ghasi.io/shared/event/attribution"
	"melmastoon.ghasi.io/shared/handoff"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/testkit/check"
)

func TestLink(t *testing.T) {
	t.Parallel()
	var token handoff.Token
	check.Must(t, token.UnmarshalText([]byte("v1.a.b")))
	plain, own := search.Tenant{Slug: "herat-garden"}, search.Tenant{Slug: "kabul-grand", Domains: []string{"kabul-grand.example", "other.example"}}
	for _, test := range []struct {
		name     string
		template string
		tenant   search.Tenant
		campaign attribution.Campaign
		want     string
	}{
		{"own domain", "", own, attribution.Campaign{}, "https://kabul-grand.example/?h=v1.a.b"},
		{"subdomain", "", plain, attribution.Campaign{}, "https://herat-garden.melmastoon.example/?h=v1.a.b"},
		{"shared host", "http://127.0.0.1:8080/site/{slug}", own, attribution.Campaign{}, "http://127.0.0.1:8080/site/kabul-grand?h=v1.a.b"},
		{"campaign", "", plain, attribution.Campaign{Source: "google", Medium: "cpc", Campaign: "spring 2026&h=x"},
			"https://herat-garden.melmastoon.example/?h=v1.a.b&utm_campaign=spring+2026%26h%3Dx&utm_medium=cpc&utm_source=google"},
		{"partial campaign", "", plain, attribution.Campaign{Medium: "mail"}, "https://herat-garden.melmastoon.example/?h=v1.a.b&utm_medium=mail"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			e := env.Of(map[string]string{"SITE_DOMAIN": "melmastoon.example"})
			if test.template != "" {
				e = e.With("TENANT_SITE_URL", test.template)
			}
			site, err := OpenSite(e)
			check.Must(t, err)
			check.Equal(t, site.Link(test.tenant, token, test.campaign), test.want)
		})
	}
}

func TestOpenSite_invalidURL(t *testing.T) {
	t.Parallel()
	for name, template := range map[string]string{
		"no placeholder":              "https://melmastoon.example/",
		"unsupported scheme":          "ftp://{host}/",
		"no scheme":                   "{slug}",
		"own query":                   "https://{host}/?from=search",
		"placeholder in the query":    "https://melmastoon.example/?hotel={slug}",
		"placeholder in the fragment": "https://melmastoon.example/#{slug}",
		"invalid URL":                 "https://{host}:port/",
		"unknown placeholder":         "https://melmastoon.example/{name}",
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := OpenSite(env.Of(map[string]string{"TENANT_SITE_URL": template})); err == nil {
				t.Error("is accepted")
			}
		})
	}
}

// FuzzLink holds for whatever a campaign is called: the link leads to the hotel, and carries this token and no other.
func FuzzLink(f *testing.F) {
	f.Add("google", "cpc", "spring")
	f.Add("&h=other", "#", "?")
	f.Add("../", "\r\nX: y", "%26h%3D")
	site := Site{SiteURL: "https://{host}/", Domain: "melmastoon.example"}
	var token handoff.Token
	check.Must(f, token.UnmarshalText([]byte("v1.a.b")))
	f.Fuzz(func(t *testing.T, source, medium, campaign string) {
		link, err := url.Parse(site.Link(search.Tenant{ID: id.New[id.Tenant](), Slug: "kabul-grand"}, token, attribution.Campaign{Source: source, Medium: medium, Campaign: campaign}))
		check.Must(t, err)
		check.MustEqual(t, link.Host, "kabul-grand.melmastoon.example")
		check.MustEqual(t, link.Path, "/")
		check.MustEqual(t, link.Fragment, "")
		q := link.Query()
		check.Equal(t, len(q["h"]), 1)
		check.Equal(t, q.Get("h"), "v1.a.b")
		check.Equal(t, q.Get("utm_source"), source)
	})
}
