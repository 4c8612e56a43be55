package consumer_test

import (
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"

	"melmastoon.ghasi.io/functions/consumer/consumertest"
	"melmastoon.ghasi.io/functions/consumer/internal/session"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/fn/observe"
	"melmastoon.ghasi.io/shared/testkit/fntest"
)

// kept counts what a session has left in the tables of telemetry.
func kept(t *testing.T, site *consumertest.Site, session id.GuestSession) (views, steps int) {
	t.Helper()
	err := site.DB.Owner(t).QueryRow(t.Context(), `
		SELECT (SELECT count(*) FROM bff_consumer.page_views WHERE guest_session_id = @session),
			(SELECT count(*) FROM bff_consumer.funnel_events WHERE guest_session_id = @session)`,
		pgx.StrictNamedArgs{"session": session}).Scan(&views, &steps)
	if err != nil {
		t.Fatal(err)
	}
	return views, steps
}

// click is a click on some hotel.
func click(more string) string {
	return `{"kind":"listing-card","tenantId":"` + consumertest.HotelsTenant.String() + `","propertyId":"` + id.New[id.Property]().String() + `"` + more + `}`
}

func TestTelemetry_stored(t *testing.T) {
	t.Parallel()
	site := whole(t)
	v := site.Traveller()
	v.Must(200, "GET", "/session", nil)
	search := id.New[id.SearchSession]().String()
	v.Must(202, "POST", "/telemetry/click", click(`,"searchSessionId":"`+search+`","position":3,"page":1,"sortKey":"recommended"`))
	v.Must(202, "POST", "/telemetry/click", click(``))
	v.Must(202, "POST", "/telemetry/page-view", `{"path":"/hotels/`+id.New[id.Property]().String()+`?q=1","referer":"https://www.google.com/search?q=kabul"}`)
	v.Must(202, "POST", "/telemetry/funnel", `{"step":"list.scrolled-50pct","searchSessionId":"`+search+`","metadata":{"scrollPct":50,"fromCache":true,"sortKey":"price-asc","source":"search-map"}}`)
	site.CheckPublished("click.recorded", 2)
	var path, referer, metadata string
	err := site.DB.Owner(t).QueryRow(t.Context(), `
		SELECT path, referer, metadata FROM bff_consumer.page_views, bff_consumer.funnel_events`).Scan(&path, &referer, &metadata)
	if err != nil || !strings.HasPrefix(path, "/hotels/ppt_") || strings.Contains(path, "q=1") || referer != "https://www.google.com/search" {
		t.Errorf("kept %q from %q, %v", path, referer, err)
	}
	if want := `{"source": "search-map", "sortKey": "price-asc", "fromCache": true, "scrollPct": 50}`; metadata != want {
		t.Errorf("kept %s, want %s", metadata, want)
	}
}

func TestTelemetry_invalid(t *testing.T) {
	t.Parallel()
	site := whole(t)
	v := site.Traveller()
	for _, wrong := range []struct{ path, body, pointer string }{
		{"click", click(`,"position":-1`), "/position"},
		{"click", click(`,"position":10051`), "/position"},
		{"click", click(`,"page":1000000000`), "/page"},
		{"click", click(`,"kinds":"x"`), "/kinds"},
		{"click", strings.Replace(click(``), "listing-card", "anything", 1), "/kind"},
		{"page-view", `{"path":"search"}`, "/path"},
		{"page-view", `{"path":"//evil.example/x"}`, "/path"},
		{"page-view", `{"path":"/` + strings.Repeat("a/", 150) + `"}`, "/path"},
		{"page-view", `{"path":"/%zz"}`, "/path"},
		{"funnel", `{"step":"session.ended"}`, "/step"},
		{"funnel", `{"step":"map.opened","metadata":{"scrollPct":-50}}`, "/metadata/scrollPct"},
		{"funnel", `{"step":"map.opened","metadata":{"page":"one"}}`, "/metadata/page"},
		{"funnel", `{"step":"map.opened","metadata":{"source":"my cousin"}}`, "/metadata/source"},
	} {
		a := v.Send("POST", "/telemetry/"+wrong.path, wrong.body)
		if p := a.Problem(); a.Status != 400 || len(p.Violations) != 1 || p.Violations[0].Pointer != wrong.pointer {
			t.Errorf("%s %s: %d %s", wrong.path, wrong.body, a.Status, a.Body)
		}
	}
	if views, steps := kept(t, site, v.Session); views+steps != 0 {
		t.Errorf("kept %d views and %d steps", views, steps)
	}
}

// TestConsent_withdrawn takes consent away and gives it again, and does everything that could be told or kept.
func TestConsent_withdrawn(t *testing.T) {
	t.Parallel()
	site := whole(t)
	v := site.Traveller()
	all := func() {
		t.Helper()
		v.Must(202, "POST", "/telemetry/click", click(``))
		v.Must(202, "POST", "/telemetry/page-view", `{"path":"/"}`)
		v.Must(202, "POST", "/telemetry/funnel", `{"step":"map.opened"}`)
		v.Must(201, "POST", "/wishlist", wish(id.New[id.Property](), ""))
	}
	v.Must(200, "GET", "/session", nil)
	all()
	v.Must(200, "PATCH", "/session", `{"consentTelemetry":false,"locale":"ur-PK"}`)
	before := site.Published()
	all()
	v.Must(200, "PATCH", "/session", `{"currency":"EUR"}`)
	if now := site.Published(); len(now) != len(before) || strings.Contains(strings.Join(now, " "), "locale") {
		t.Errorf("told %v, then %v", before, now)
	}
	if views, steps := kept(t, site, v.Session); views != 1 || steps != 1 {
		t.Errorf("kept %d views and %d steps, want those from before", views, steps)
	}
	v.Must(200, "PATCH", "/session", `{"consentTelemetry":true}`)
	all()
	if views, steps := kept(t, site, v.Session); views != 2 || steps != 2 || len(site.Published()) != len(before)+2 {
		t.Errorf("kept %d views and %d steps, told %v", views, steps, site.Published())
	}
}

func TestSampling_evidence(t *testing.T) {
	t.Parallel()
	site := whole(t)
	flags := session.OpenFlags(site.Env)
	exempt := map[string]bool{session.HandoffInitiatedV1.Name: true, session.BotSuspectedV1.Name: true}
	for _, subject := range session.Publishes() {
		told := flags.Sampled(true, session.Session{}.Event(subject, nil))
		if (len(told) == 1) != exempt[subject.Name] {
			t.Errorf("%s of a silent session is told %d times", subject.Name, len(told))
		}
	}
}

// A journal keeps what the functions log.
type journal struct {
	mu   sync.Mutex
	text strings.Builder
}

func (j *journal) Write(b []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.Write(b)
}

// The canaries are what people are reached by, in the spellings in which it turns up in addresses and forms.
var canaries = []string{"zarghona.a@example.com", "Zarghona.A%40example.com", "zarghona.a%2540example.com", "zarghona.a＠example.com",
	"+93 70 012 3456", "+93700123456", "0093700123456"}

// TestTelemetry_typedText writes addresses and numbers into everything that takes text. They reach no event, no log
// line, no document and no answer but the guest's own wishlist; in SQL they are in the note alone.
func TestTelemetry_typedText(t *testing.T) {
	t.Parallel()
	site := whole(t)
	log := &journal{}
	site.Front = fntest.Behind(t, observe.LogKey.With(site.Env, observe.To(log)), site.Front.Issuer(), everything...)
	var answers strings.Builder
	for _, canary := range canaries {
		v := site.Traveller("X-Campaign-Source", canary, "X-Campaign-Medium", "by "+canary, "X-Campaign-Name", canary+" again",
			"Referer", "https://www.example.com/to/"+canary+"?mail="+canary, "User-Agent", "Mozilla/5.0", "Accept-Language", "en, x-"+canary)
		v.Must(201, "POST", "/wishlist", wish(id.New[id.Property](), `,"note":"`+canary+`"`))
		for path, body := range map[string]string{
			"/telemetry/page-view": `{"path":"/search/` + canary + `?q=` + canary + `#` + canary + `","referer":"https://` + canary + `/"}`,
			"/telemetry/funnel":    `{"step":"map.opened","metadata":{"` + canary + `":1}}`,
			"/telemetry/click":     click(`,"searchSessionId":"` + canary + `"`),
			"/session":             `{"locale":"` + canary + `"}`,
			"/wishlist":            `{"propertyId":"` + canary + `","source":"` + canary + `"}`,
		} {
			method := map[bool]string{true: "PATCH", false: "POST"}[path == "/session"]
			a := v.Send(method, path, body)
			answers.Write(a.Body)
		}
		v.Must(202, "POST", "/telemetry/page-view", `{"path":"/`+strings.ReplaceAll(canary, "%", "%25")+`","referer":"https://www.example.com/`+strings.ReplaceAll(canary, "%", "%25")+`?mail=`+canary+`"}`)
	}
	texts := consumertest.Texts(t, site.DB)
	notes := texts["bff_consumer.wishlist"]
	delete(texts, "bff_consumer.wishlist")
	texts["the log"], texts["the answers"] = log.text.String(), answers.String()
	for where, text := range texts {
		for _, trace := range []string{"zarghona", "example.com/to/z", "700123456", "70 012"} {
			if at := strings.Index(strings.ToLower(text), trace); at >= 0 {
				t.Errorf("%s is in %s: …%s…", trace, where, text[max(0, at-80):min(len(text), at+80)])
			}
		}
	}
	if strings.Count(strings.ToLower(notes), "zarghona") != 4 || !strings.Contains(texts["bff_consumer.page_views"], "/*") {
		t.Errorf("the canaries did not arrive where they may: %s", notes)
	}
	if told := site.Published(); len(told) != 2*len(canaries) {
		t.Errorf("events: got %v", told)
	}
}
