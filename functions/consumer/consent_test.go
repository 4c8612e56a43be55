package consumer_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"melmastoon.ghasi.io/functions/consumer/consumertest"
	"melmastoon.ghasi.io/functions/consumer/readsession"
	"melmastoon.ghasi.io/functions/consumer/removewish"
	"melmastoon.ghasi.io/functions/consumer/search"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/document"
	"melmastoon.ghasi.io/shared/testkit/check"
	"melmastoon.ghasi.io/shared/testkit/fntest"
)

// checkConsents fails the test unless the session shows that consent to telemetry.
func checkConsents(t *testing.T, v *consumertest.Traveller, want bool) {
	t.Helper()
	shown := fntest.Read[readsession.Response](t, v.Must(200, "GET", "/session", nil))
	check.Equal(t, shown.Consent.Telemetry, want)
}

// A guest withdraws the consent while the hot store is down, so the document keeps it. The row decides.
func TestConsent_withdrawnDuringOutage(t *testing.T) {
	t.Parallel()
	for name, act := range map[string]func(*consumertest.System, *consumertest.Traveller){
		"wish": func(m *consumertest.System, v *consumertest.Traveller) {
			v.Must(201, "POST", "/wishlist", wishBody(m.Hotels[0].Property, ""))
			v.Must(204, "DELETE", "/wishlist/"+m.Hotels[0].Property.String(), nil)
		},
		"search": func(m *consumertest.System, v *consumertest.Traveller) {
			v.Must(200, "POST", "/search", m.SearchBody())
		},
		"click": func(m *consumertest.System, v *consumertest.Traveller) {
			v.Must(202, "POST", "/telemetry/click", `{"kind":"map-pin","tenantId":"`+m.Hotels[0].Tenant.String()+`","propertyId":"`+m.Hotels[0].Property.String()+`"}`)
		},
		"view": func(_ *consumertest.System, v *consumertest.Traveller) {
			v.Must(202, "POST", "/telemetry/page-view", `{"path":"/"}`)
		},
		"read": func(*consumertest.System, *consumertest.Traveller) {},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := consumertest.OpenSystem(t, 1, append(slices.Clone(allFunctions), search.Function, removewish.Function)...)
			m.EverySearch()
			v := m.Traveller()
			v.Must(200, "GET", "/session", nil)
			up := m.Front
			m.Front = fntest.Behind(t, document.StoreKey.With(m.Env, unavailableStore{}), up.Issuer(), allFunctions...)
			v.Send("PATCH", "/session", `{"consentTelemetry":false}`).Must(t, 503)
			m.Front = up
			before := m.Published()
			for _, pause := range []time.Duration{10 * time.Minute, 90 * time.Minute} {
				m.DB.Advance(pause)
				act(m, v)
				checkConsents(t, v, false)
				act(m, v)
			}
			check.Equal(t, m.Published(), before, "published since")
		})
	}
}

// After the outage the next change of the document copies the preferences of the row.
func TestConsent_documentRefreshed(t *testing.T) {
	t.Parallel()
	site := openSite(t)
	v := site.Traveller()
	v.Must(200, "GET", "/session", nil)
	up := site.Front
	site.Front = fntest.Behind(t, document.StoreKey.With(site.Env, unavailableStore{}), up.Issuer(), allFunctions...)
	v.Send("PATCH", "/session", `{"consentTelemetry":false,"currency":"GBP"}`).Must(t, 503)
	site.Front = up
	site.DB.Advance(2 * time.Hour) // the next call records that the session was seen
	v.Must(200, "GET", "/session", nil)
	if s := v.StoredSession(); s.Consent.Telemetry || s.Currency != "GBP" {
		t.Errorf("document: telemetry = %t, currency = %q, want false and GBP", s.Consent.Telemetry, s.Currency)
	}
}

// DNT: 1 and Sec-GPC: 1 silence each call that has them, and no other.
func TestConsent_silentCalls(t *testing.T) {
	t.Parallel()
	for _, header := range []string{"DNT", "Sec-GPC"} {
		t.Run(header, func(t *testing.T) {
			t.Parallel()
			m := consumertest.OpenSystem(t, 2, append(slices.Clone(allFunctions), search.Function, removewish.Function)...)
			m.EverySearch()
			v := m.Traveller()
			v.Must(200, "GET", "/session", nil)
			calls := func(hotel int, headers ...string) {
				t.Helper()
				h := m.Hotels[hotel]
				about := fmt.Sprintf(`"tenantId":%q,"propertyId":%q`, h.Tenant, h.Property)
				v.Must(200, "POST", "/search", m.SearchBody(), headers...)
				v.Must(202, "POST", "/telemetry/click", `{"kind":"map-pin",`+about+`}`, headers...)
				v.Must(202, "POST", "/telemetry/page-view", `{"path":"/"}`, headers...)
				v.Must(202, "POST", "/telemetry/funnel", `{"step":"map.opened"}`, headers...)
				v.Must(201, "POST", "/wishlist", wishBody(h.Property, ""), headers...)
				v.Must(204, "DELETE", "/wishlist/"+h.Property.String(), nil, headers...)
				v.Must(200, "PATCH", "/session", fmt.Sprintf(`{"currency":%q}`, []string{"GBP", "EUR"}[hotel]), headers...)
				v.Must(200, "GET", "/session", nil, append(headers, "Accept-Language", []string{"ur", "ar"}[hotel])...)
			}
			published := m.Published()
			calls(0, header, "1")
			check.Equal(t, m.Published(), published, "published by silent calls")
			checkConsents(t, v, true)
			calls(1)
			subjects := []string{"search.executed", "click.recorded", "page.viewed", "funnel.step_reached", "wishlist.added", "wishlist.removed", "currency.changed", "locale.changed"}
			for _, subject := range subjects {
				check.Equal(t, slices.Contains(m.Published(), subject), true, "a call without the header does not publish %s", subject)
			}
			published = m.Published()
			v.Must(204, "POST", "/session/clear", nil, header, "1")
			check.Equal(t, m.Published(), published, "published by a silent clear")
		})
	}
}

// A browser that forbids telemetry takes a session over: the new session has no consent, and its start is not published.
func TestConsent_silentRotation(t *testing.T) {
	t.Parallel()
	site := openSite(t)
	v := site.Traveller()
	v.Must(200, "GET", "/session", nil)
	before := site.Published()
	old := v.Session
	v.Headers = []string{"User-Agent", "Mozilla/5.0 (iPhone) Mobile", "Accept-Language", "fa-AF"}
	v.Must(200, "GET", "/session", nil, "Sec-GPC", "1")
	check.MustNotEqual(t, v.Session, old, "the session was not rotated")
	check.Equal(t, v.StoredSession().Consent.Telemetry, false, "the new session consents to telemetry")
	v.Must(201, "POST", "/wishlist", wishBody(id.New[id.Property](), ""))
	check.Equal(t, site.Published(), before, "published since")
}

// In Afghanistan a browser that accepts Persian without a region gets Dari, in each call.
func TestLanguage_persianInAfghanistan(t *testing.T) {
	t.Parallel()
	site := openSite(t)
	for _, test := range []struct{ country, accepts, want string }{
		{"AF", "fa", "fa-AF"},
		{"AF", "en;q=0.5, FA;q=0.9", "fa-AF"},
		{"AF", "fa-IR", "fa-IR"},
		{"IR", "fa", "fa-IR"},
		{"", "fa", "fa-IR"},
	} {
		t.Run(test.country+" "+test.accepts, func(t *testing.T) {
			v := site.Traveller("Accept-Language", test.accepts, "X-Client-Geo-Country", test.country)
			for range 2 {
				check.Equal(t, v.Must(200, "GET", "/session", nil).Header.Get("Content-Language"), test.want)
			}
		})
	}
	site.CheckPublished("locale.changed", 0)
}
