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
	"melmastoon.ghasi.io/shared/testkit/check"
)

const composed = "X-Bootstrap-Version"

func boot(t *testing.T, g *tenantbookingtest.Guest) string {
	t.Helper()
	a := g.Must(http.StatusOK, "GET", "/bootstrap", nil)
	var body struct {
		Version string `json:"bootstrapVersion"`
	}
	a.Into(t, &body)
	check.NotEqual(t, body.Version, "", "no bootstrapVersion")
	a.Want(t, http.StatusOK, composed, body.Version)
	return body.Version
}

func TestOutdated_rejected(t *testing.T) {
	t.Parallel()
	system, _ := tenantbookingtest.BuildWithHotels(t, append(funnel(), bootstrap.Function, changesession.Function)...)
	system.Platform.Change(func() { system.Platform.Tenants[0].ConfigVersion = 5 })
	g := system.Guest(0).RequestQuote().Hold()
	if version := boot(t, g); !strings.HasPrefix(version, "v5-") {
		t.Errorf("got bootstrap version %q, want that of configuration v5", version)
	} else if !strings.HasSuffix(version, ".thm_test_v1") {
		t.Errorf("got bootstrap version %q, want that of theme thm_test_v1", version)
	}
	draft := "/draft/" + g.Draft.String()
	for _, act := range []struct {
		name, method, path string
		body               any
		checked            bool
	}{
		{"a quote", "POST", "/quote", g.QuoteBody(), true},
		{"a hold", "POST", "/hold", g.HoldBody(), true},
		{"guest details", "PATCH", draft, tenantbookingtest.Zarghona, false},
		{"an intent", "POST", draft + "/payment-intent", `{"method":"card"}`, false},
		{"a confirmation of cash", "POST", draft + "/confirm", nil, false},
		{"another language", "PATCH", "/session", `{"locale":"en"}`, false},
		{"reading the draft", "GET", draft, nil, false},
		{"a return from the payment page", "POST", draft + "/return", nil, false},
		{"a bootstrap", "GET", "/bootstrap", nil, false},
	} {
		t.Run(act.name, func(t *testing.T) {
			for given, old := range map[string]bool{"v4.thm_test_v1": true, "v4": true, "5.": false, "vv": true, "v5.thm_test_v1": false, "v5.thm_other_v9": false, "v6.thm_test_v1": false} {
				t.Run(given, func(t *testing.T) {
					state, _ := g.State()
					a := g.Send(act.method, act.path, act.body, composed, given)
					if refused := a.Status == http.StatusGone && a.Code() == "BFF.TENANT.BOOTSTRAP_STALE"; refused != (act.checked && old) {
						t.Errorf("version %q: got %d %s, want it rejected: %t", given, a.Status, a.Body, act.checked && old)
					}
					if now, _ := g.State(); old && act.checked && now != state {
						t.Errorf("version %q: the draft became %s, want %s", given, now, state)
					}
				})
			}
		})
	}
	check.NotEqual(t, g.Send("DELETE", draft, nil, composed, "v4").Code(), "BFF.TENANT.BOOTSTRAP_STALE", "abandoning is rejected")
}

func TestOutdated_termsOnly(t *testing.T) {
	t.Parallel()
	system, hotels := tenantbookingtest.BuildWithHotels(t, append(funnel(), bootstrap.Function, configupdated.Function, themepublished.Function)...)
	g := system.Guest(0)
	version := boot(t, g)
	hotels.Change(2, 3, 1)
	theme := map[string]any{"tenantId": g.Tenant.ID, "themeId": "thm_01J8KABG00000000000000000A", "publishedVersion": "thv_01J8KABG00000000000000000A", "publishedAt": system.Env.Now()}
	system.Deliver(themepublished.Function, g.Tenant.ID, theme, system.Env.Now())
	g.Must(http.StatusCreated, "POST", "/quote", g.QuoteBody(), composed, version) // only the design has changed
	change := func(key string, change func(*hotel.Tenant)) {
		system.Platform.Change(func() {
			system.Platform.Tenants[0].ConfigVersion++
			change(&system.Platform.Tenants[0])
		})
		system.Deliver(configupdated.Function, g.Tenant.ID,
			map[string]any{"tenantId": g.Tenant.ID, "configVersion": 1, "changedKeys": []string{key}, "updatedAt": system.Env.Now()}, system.Env.Now())
	}
	change("brandTagline", func(t *hotel.Tenant) { t.BrandTagline = "By the river" })
	g.Must(http.StatusCreated, "POST", "/quote", g.QuoteBody(), composed, version) // a tagline does not affect bookings
	change("paymentMethods", func(t *hotel.Tenant) { t.PaymentMethods = []hotel.Method{hotel.Card} })
	g.Send("POST", "/hold", g.HoldBody(), composed, version, "Idempotency-Key", "one").WantProblem(t, http.StatusGone, "BFF.TENANT.BOOTSTRAP_STALE")
	if anew := boot(t, g); anew == version {
		t.Errorf("a new bootstrap still has version %q", anew)
	} else {
		g.Must(http.StatusCreated, "POST", "/hold", g.HoldBody(), composed, anew, "Idempotency-Key", "one") // the ledger did not store the refusal
	}
}
