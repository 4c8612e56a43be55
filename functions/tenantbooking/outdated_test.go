package tenantbooking_test

import (
	"net/http"
	"strings"
	"testing"

	"melmastoon.ghasi.io/functions/tenantbooking/bootstrap"
	"melmastoon.ghasi.io/functions/tenantbooking/changesession"
	"melmastoon.ghasi.io/functions/tenantbooking/configupdated"
	"melmastoon.ghasi.io/functions/tenantbooking/internal/hotel"
	"melmastoon.ghasi.io/functions/tenantbooking/tenantbookingtest"
	"melmastoon.ghasi.io/functions/tenantbooking/themepublished"
)

const composed = "X-Bootstrap-Version"

func boot(t *testing.T, g *tenantbookingtest.Guest) string {
	t.Helper()
	a := g.Must(http.StatusOK, "GET", "/bootstrap", nil)
	var told struct {
		Version string `json:"bootstrapVersion"`
	}
	a.Into(t, &told)
	if header := a.Header.Get(composed); header != told.Version || header == "" {
		t.Errorf("the header says %q, the body %q", header, told.Version)
	}
	return told.Version
}

func TestOutdated_rejected(t *testing.T) {
	t.Parallel()
	street, _ := tenantbookingtest.Shopping(t, append(funnel(), bootstrap.Function, changesession.Function)...)
	street.Town.Do(func() { street.Town.Tenants[0].ConfigVersion = 5 })
	g := street.Guest(0).Ask().Hold()
	if version := boot(t, g); !strings.HasPrefix(version, "v5-") || !strings.HasSuffix(version, ".thm_test_v1") {
		t.Errorf("the site was composed from %q", version)
	}
	draft := "/draft/" + g.Draft.String()
	for _, act := range []struct {
		name, method, path string
		body               any
		checked            bool
	}{
		{"a quote", "POST", "/quote", g.Wish(), true},
		{"a hold", "POST", "/hold", g.Holding(), true},
		{"a name", "PATCH", draft, tenantbookingtest.Zarghona, false},
		{"an intent", "POST", draft + "/payment-intent", `{"method":"card"}`, false},
		{"a promise of cash", "POST", draft + "/confirm", nil, false},
		{"another language", "PATCH", "/session", `{"locale":"en"}`, false},
		{"a look", "GET", draft, nil, false},
		{"a return from the bank", "POST", draft + "/return", nil, false},
		{"the site itself", "GET", "/bootstrap", nil, false},
	} {
		for given, old := range map[string]bool{"v4.thm_test_v1": true, "v4": true, "5.": false, "vv": true, "v5.thm_test_v1": false, "v5.thm_other_v9": false, "v6.thm_test_v1": false} {
			state, _ := g.State()
			a := g.Send(act.method, act.path, act.body, composed, given)
			if refused := a.Status == http.StatusGone && a.Code() == "BFF.TENANT.BOOTSTRAP_STALE"; refused != (act.checked && old) {
				t.Errorf("%s from %q: %d %s", act.name, given, a.Status, a.Body)
			}
			if now, _ := g.State(); old && act.checked && now != state {
				t.Errorf("%s from %q has made the draft %s", act.name, given, now)
			}
		}
	}
	if a := g.Send("DELETE", draft, nil, composed, "v4"); a.Code() == "BFF.TENANT.BOOTSTRAP_STALE" {
		t.Errorf("abandoning is rejected: %s", a.Body)
	}
}

func TestOutdated_termsOnly(t *testing.T) {
	t.Parallel()
	street, shops := tenantbookingtest.Shopping(t, append(funnel(), bootstrap.Function, configupdated.Function, themepublished.Function)...)
	g := street.Guest(0)
	version := boot(t, g)
	shops.Change(2, 3, 1)
	theme := map[string]any{"tenantId": g.Tenant.ID, "themeId": "thm_01J8KABG00000000000000000A", "publishedVersion": "thv_01J8KABG00000000000000000A", "publishedAt": street.Env.Now()}
	street.Tell(themepublished.Function, g.Tenant.ID, theme, street.Env.Now())
	g.Must(http.StatusCreated, "POST", "/quote", g.Wish(), composed, version) // only the design has changed
	change := func(key string, change func(*hotel.Tenant)) {
		street.Town.Do(func() {
			street.Town.Tenants[0].ConfigVersion++
			change(&street.Town.Tenants[0])
		})
		street.Tell(configupdated.Function, g.Tenant.ID,
			map[string]any{"tenantId": g.Tenant.ID, "configVersion": 1, "changedKeys": []string{key}, "updatedAt": street.Env.Now()}, street.Env.Now())
	}
	change("brandTagline", func(t *hotel.Tenant) { t.BrandTagline = "By the river" })
	g.Must(http.StatusCreated, "POST", "/quote", g.Wish(), composed, version) // a tagline does not affect bookings
	change("paymentMethods", func(t *hotel.Tenant) { t.PaymentMethods = []hotel.Method{hotel.Card} })
	if a := g.Send("POST", "/hold", g.Holding(), composed, version, "Idempotency-Key", "one"); a.Status != http.StatusGone || a.Code() != "BFF.TENANT.BOOTSTRAP_STALE" {
		t.Errorf("after a change of the configuration: got %d %s", a.Status, a.Body)
	}
	if anew := boot(t, g); anew == version {
		t.Errorf("a new bootstrap still has version %q", anew)
	} else {
		g.Must(http.StatusCreated, "POST", "/hold", g.Holding(), composed, anew, "Idempotency-Key", "one") // the ledger did not store the refusal
	}
}
