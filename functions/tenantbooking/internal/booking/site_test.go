package booking

import (
	"encoding/base64"
	"fmt"
	"testing"

	"melmastoon.ghasi.io/functions/tenantbooking/internal/hotel"
	"melmastoon.ghasi.io/functions/tenantbooking/internal/session"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
	"melmastoon.ghasi.io/shared/testkit/check"
)

// returnKey is a key ring for return links.
var returnKey = "a:" + base64.StdEncoding.EncodeToString(make([]byte, 32))

func TestSite_returnToSameHost(t *testing.T) {
	t.Parallel()
	draft := id.New[id.Draft]()
	plain := hotel.Tenant{ID: id.New[id.Tenant](), Slug: "herat-garden"}
	own := hotel.Tenant{ID: id.New[id.Tenant](), Slug: "kabul-grand", Domains: []string{"kabul-grand.example", "other.example"}}
	for _, test := range []struct {
		name, template string
		tenant         hotel.Tenant
		called         string
		own            bool
		want           string
	}{
		{"a domain of the hotel's", "https://{site}/return/{draftId}", own, "kabul-grand.example", true, "https://kabul-grand.example/return/" + draft.String()},
		{"its other domain", "https://{site}/return/{draftId}", own, "other.example", true, "https://other.example/return/" + draft.String()},
		{"its host below ours", "https://{site}/return/{draftId}", own, "kabul-grand", true, "https://kabul-grand.stays.example/return/" + draft.String()},
		{"the host of all hotels, of one with a domain", "https://{site}/return/{draftId}", own, "kabul-grand", false, "https://stays.example/kabul-grand/return/" + draft.String()},
		{"the host of all hotels, by its id", "https://{site}/return/{draftId}", plain, plain.ID.String(), false, "https://stays.example/" + plain.ID.String() + "/return/" + draft.String()},
		{"a demo", "http://127.0.0.1:8080/site/{slug}/return/{draftId}", own, "kabul-grand", false, "http://127.0.0.1:8080/site/kabul-grand/return/" + draft.String()},
		{"a provider's own end", "", own, "kabul-grand", true, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			site, err := OpenSite(env.Of(map[string]string{"TENANT_RETURN_URL": test.template, "SITE_DOMAIN": "stays.example", "RETURN_LINK_KEYS": returnKey}))
			check.Must(t, err)
			check.Equal(t, site.page(session.Visitor{Tenant: test.tenant, Called: test.called}, fn.Site{Own: test.own}, draft.String()), test.want)
		})
	}
}

func TestOpenSite_returnURL(t *testing.T) {
	t.Parallel()
	for template, ok := range map[string]bool{
		"": true, "https://{site}/return/{draftId}": true, "http://127.0.0.1:8080/site/{slug}/return/{draftId}": true,
		"https://{host}/return/{draftId}": false, "{site}/return/{draftId}": false, "ftp://{site}/return": false, "https:///return": false,
	} {
		t.Run(template, func(t *testing.T) {
			_, err := OpenSite(env.Of(map[string]string{"TENANT_RETURN_URL": template, "RETURN_LINK_KEYS": returnKey}))
			check.Equal(t, err == nil, ok, "%s", fmt.Sprint(err))
		})
	}
}
