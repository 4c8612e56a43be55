package tenantbooking

import (
	"testing"

	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
)

func TestAGuestComesBackToTheHostTheyHaveLeft(t *testing.T) {
	t.Parallel()
	draft := id.New[id.Draft]()
	plain := Tenant{ID: id.New[id.Tenant](), Slug: "herat-garden"}
	own := Tenant{ID: id.New[id.Tenant](), Slug: "kabul-grand", Domains: []string{"kabul-grand.example", "other.example"}}
	for _, test := range []struct {
		name, template string
		tenant         Tenant
		called         string
		own            bool
		want           string
	}{
		{"a domain of the hotel's", "https://{host}/return/{draftId}", own, "kabul-grand.example", true, "https://kabul-grand.example/return/" + draft.String()},
		{"its other domain", "https://{host}/return/{draftId}", own, "other.example", true, "https://other.example/return/" + draft.String()},
		{"its host below ours", "https://{host}/return/{draftId}", own, "kabul-grand", true, "https://kabul-grand.stays.example/return/" + draft.String()},
		{"a host of all hotels, whose page is at the hotel's domain", "https://{host}/return/{draftId}", own, "kabul-grand", false, "https://kabul-grand.example/return/" + draft.String()},
		{"a host of all hotels, where this one has none", "https://{host}/return/{draftId}", plain, plain.ID.String(), false, "https://herat-garden.stays.example/return/" + draft.String()},
		{"a demo", "http://127.0.0.1:8080/site/{slug}/return/{draftId}", own, "kabul-grand", false, "http://127.0.0.1:8080/site/kabul-grand/return/" + draft.String()},
		{"a provider's own end", "", own, "kabul-grand", true, ""},
	} {
		site, err := OpenSite(env.Of(map[string]string{"TENANT_RETURN_URL": test.template, "SITE_DOMAIN": "stays.example", "RETURN_LINK_KEYS": key("a", 1)}))
		if err != nil {
			t.Fatal(err)
		}
		if got := site.page(Visitor{Tenant: test.tenant, Called: test.called}, fn.Site{Own: test.own}, draft); got != test.want {
			t.Errorf("from %s to %s, want %s", test.name, got, test.want)
		}
	}
}
