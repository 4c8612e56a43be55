package consumer_test

import (
	"fmt"
	"sync"
	"testing"

	"melmastoon.ghasi.io/functions/consumer/changesession"
	"melmastoon.ghasi.io/functions/consumer/clearsession"
	"melmastoon.ghasi.io/functions/consumer/consumertest"
	"melmastoon.ghasi.io/functions/consumer/internal/session"
	"melmastoon.ghasi.io/functions/consumer/listwishes"
	"melmastoon.ghasi.io/functions/consumer/readsession"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/locale"
	"melmastoon.ghasi.io/shared/testkit/check"
	"melmastoon.ghasi.io/shared/testkit/fntest"
)

// TestAcceptLanguage_changed changes the accepted language of a browser: the session stays the same and its language changes.
func TestAcceptLanguage_changed(t *testing.T) {
	t.Parallel()
	site := consumertest.Open(t, readsession.Function, changesession.Function)
	v := site.Traveller()
	v.Must(200, "GET", "/session", nil)
	first := v.Session
	viewed := session.RecentlyViewed{Property: id.New[id.Property](), Tenant: id.New[id.Tenant](), Source: session.FromLink}
	check.Got(site.Sessions().Change(t.Context(), first, func(s *session.Session) { s.Viewed(viewed) })).Must(t)
	read := func(accept string, want locale.Tag, changes int) {
		t.Helper()
		shown := fntest.Read[readsession.Response](t, v.Must(200, "GET", "/session", nil, "Accept-Language", accept))
		check.Equal(t, shown.Session, first, "%s", accept)
		check.Equal(t, shown.Locale, want, "%s", accept)
		check.Equal(t, len(shown.RecentlyViewed), 1, "%s", accept)
		site.CheckPublished("locale.changed", changes)
	}
	read("fa-IR", "fa-IR", 1)
	read("fa-IR", "fa-IR", 1)
	for _, nothing := range []string{"", "*", "de", "fa", "\x7f;;q=2"} {
		read(nothing, "fa-IR", 1)
	}
	v.Must(200, "GET", "/session", nil, "Accept-Language", "ur", "Sec-Purpose", "prefetch")
	site.CheckPublished("locale.changed", 1)
	read("ur;q=0.5, en", "en", 2)
	var published struct {
		Trigger string `json:"trigger"`
	}
	site.Payload("locale.changed", &published)
	check.Equal(t, published.Trigger, "accept-language", "events")
	v.Must(200, "PATCH", "/session", `{"locale":"ar-AE"}`, "Accept-Language", "en")
	read("ps", "ar-AE", 3)
	site.CheckPublished("session.started", 1)
	site.CheckPublished("session.ended", 0)
}

// TestAcceptLanguage_concurrently changes the accepted language in many tabs at once: one event is published.
func TestAcceptLanguage_concurrently(t *testing.T) {
	t.Parallel()
	site := consumertest.Open(t, readsession.Function)
	v := site.Traveller()
	v.Must(200, "GET", "/session", nil)
	const tabs = 6
	became := make([]id.GuestSession, tabs)
	var all sync.WaitGroup
	for i := range tabs {
		tab := *v
		all.Go(func() {
			tab.Must(200, "GET", "/session", nil, "Accept-Language", "ur")
			became[i] = tab.Session
		})
	}
	all.Wait()
	for i, session := range became {
		check.Equal(t, session, v.Session, "session of tab %d", i)
	}
	site.CheckPublished("locale.changed", 1)
	site.CheckPublished("session.started", 1)
}

func TestContentLanguage_onEveryAnswer(t *testing.T) {
	t.Parallel()
	site := consumertest.Open(t, readsession.Function, changesession.Function, listwishes.Function, clearsession.Function)
	v := site.Traveller("Accept-Language", "ur")
	for _, call := range []struct {
		status             int
		method, path, body string
		want               string
	}{
		{200, "GET", "/session", "", "ur-PK"},
		{200, "GET", "/wishlist", "", "ur-PK"},
		{400, "PATCH", "/session", "{}", "ur"}, // titles are in a language, for any country
		{200, "PATCH", "/session", `{"locale":"prs"}`, "fa-AF"},
		{200, "GET", "/session", "", "fa-AF"},
		{204, "POST", "/session/clear", "", "fa-AF"},
		{204, "POST", "/session/clear", "", "ur-PK"},
	} {
		t.Run(fmt.Sprint(call.status, " ", call.method, " ", call.path, " ", call.body, " ", call.want), func(t *testing.T) {
			var body any
			if call.body != "" {
				body = call.body
			}
			a := v.Must(call.status, call.method, call.path, body)
			got := a.Header.Values("Content-Language")
			check.MustEqual(t, len(got), 1, "%s %s %s", call.method, call.path, call.body)
			check.Equal(t, got[0], call.want, "%s %s %s", call.method, call.path, call.body)
		})
	}
}
