package handoffs

import (
	"net/url"
	"testing"

	"melmastoon.ghasi.io/functions/consumer/internal/search"
	"melmastoon.ghasi.io/shared/event/attribution"
	"melmastoon.ghasi.io/shared/handoff"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/env"
)

func TestLink(t *testing.T) {
	t.Parallel()
	var token handoff.Token
	if err := token.UnmarshalText([]byte("v1.a.b")); err != nil {
		t.Fatal(err)
	}
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
			if err != nil {
				t.Fatal(err)
			}
			if got := site.Link(test.tenant, token, test.campaign); got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
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
	if err := token.UnmarshalText([]byte("v1.a.b")); err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, source, medium, campaign string) {
		link, err := url.Parse(site.Link(search.Tenant{ID: id.New[id.Tenant](), Slug: "kabul-grand"}, token, attribution.Campaign{Source: source, Medium: medium, Campaign: campaign}))
		if err != nil {
			t.Fatal(err)
		}
		if link.Host != "kabul-grand.melmastoon.example" {
			t.Fatalf(`link.Host = %q, want "kabul-grand.melmastoon.example"`, link.Host)
		}
		if link.Path != "/" {
			t.Fatalf(`link.Path = %q, want "/"`, link.Path)
		}
		if link.Fragment != "" {
			t.Fatalf(`link.Fragment = %q, want ""`, link.Fragment)
		}
		q := link.Query()
		if len(q["h"]) != 1 {
			t.Errorf(`len(q["h"]) = %d, want 1`, len(q["h"]))
		}
		if q.Get("h") != "v1.a.b" {
			t.Errorf(`q.Get("h") = %q, want "v1.a.b"`, q.Get("h"))
		}
		if q.Get("utm_source") != source {
			t.Errorf(`q.Get("utm_source") = %q, want %q`, q.Get("utm_source"), source)
		}
	})
}
