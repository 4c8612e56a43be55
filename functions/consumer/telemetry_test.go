package consumer_test

import (
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"melmastoon.ghasi.io/functions/consumer/consumertest"
	"melmastoon.ghasi.io/functions/consumer/internal/session"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/fn/observe"
	"melmastoon.ghasi.io/shared/testkit/check"
	"melmastoon.ghasi.io/shared/testkit/fntest"
)

// clickBody is a click on some hotel.
func clickBody(more string) string {
	return `{"kind":"listing-card","tenantId":"` + consumertest.HotelsTenant.String() + `","propertyId":"` + id.New[id.Property]().String() + `"` + more + `}`
}

func TestTelemetry_published(t *testing.T) {
	t.Parallel()
	site := openSite(t)
	v := site.Traveller()
	v.Must(200, "GET", "/session", nil)
	search := id.New[id.SearchSession]().String()
	v.Must(202, "POST", "/telemetry/click", clickBody(`,"searchSessionId":"`+search+`","position":3,"page":1,"sortKey":"recommended"`))
	v.Must(202, "POST", "/telemetry/click", clickBody(``))
	v.Must(202, "POST", "/telemetry/page-view", `{"path":"/hotels/`+id.New[id.Property]().String()+`?q=1","referer":"https://www.google.com/search?q=kabul"}`)
	v.Must(202, "POST", "/telemetry/funnel", `{"step":"list.scrolled-50pct","searchSessionId":"`+search+`","metadata":{"scrollPct":50,"fromCache":true,"sortKey":"price-asc","source":"search-map"}}`)
	site.CheckPublished("click.recorded", 2)
	var view struct {
		Path    string `json:"path"`
		Referer string `json:"referer"`
	}
	site.Payload("page.viewed", &view)
	if !strings.HasPrefix(view.Path, "/hotels/ppt_") || strings.Contains(view.Path, "q=1") {
		t.Errorf("path = %q, want that of the hotel without the query", view.Path)
	}
	check.Equal(t, view.Referer, "https://www.google.com/search")
	var step struct {
		Step     session.FunnelStep `json:"step"`
		Metadata map[string]any     `json:"metadata"`
	}
	site.Payload("funnel.step_reached", &step)
	want := map[string]any{"source": "search-map", "sortKey": "price-asc", "fromCache": true, "scrollPct": 50.0}
	if diff := cmp.Diff(want, step.Metadata); step.Step != session.StepScrolledHalf || diff != "" {
		t.Errorf("step = %q with other metadata (-want +got): %s", step.Step, diff)
	}
}

func TestTelemetry_invalid(t *testing.T) {
	t.Parallel()
	site := openSite(t)
	v := site.Traveller()
	for _, wrong := range []struct{ name, path, body, pointer string }{
		{name: "negative position", path: "click", body: clickBody(`,"position":-1`), pointer: "/position"},
		{name: "position too large", path: "click", body: clickBody(`,"position":10051`), pointer: "/position"},
		{name: "page too large", path: "click", body: clickBody(`,"page":1000000000`), pointer: "/page"},
		{name: "kinds unknown", path: "click", body: clickBody(`,"kinds":"x"`), pointer: "/kinds"},
		{name: "kind unknown", path: "click", body: strings.Replace(clickBody(``), "listing-card", "anything", 1), pointer: "/kind"},
		{name: "path without slash", path: "page-view", body: `{"path":"search"}`, pointer: "/path"},
		{name: "path of another host", path: "page-view", body: `{"path":"//evil.example/x"}`, pointer: "/path"},
		{name: "path too long", path: "page-view", body: `{"path":"/` + strings.Repeat("a/", 150) + `"}`, pointer: "/path"},
		{name: "path with a wrong escape", path: "page-view", body: `{"path":"/%zz"}`, pointer: "/path"},
		{name: "step unknown", path: "funnel", body: `{"step":"session.ended"}`, pointer: "/step"},
		{name: "scroll depth negative", path: "funnel", body: `{"step":"map.opened","metadata":{"scrollPct":-50}}`, pointer: "/metadata/scrollPct"},
		{name: "page not a number", path: "funnel", body: `{"step":"map.opened","metadata":{"page":"one"}}`, pointer: "/metadata/page"},
		{name: "source unknown", path: "funnel", body: `{"step":"map.opened","metadata":{"source":"my cousin"}}`, pointer: "/metadata/source"},
	} {
		t.Run(wrong.name, func(t *testing.T) {
			a := v.Send("POST", "/telemetry/"+wrong.path, wrong.body)
			p := a.Problem()
			a.Want(t, 400)
			check.MustEqual(t, len(p.Violations), 1)
			check.Equal(t, p.Violations[0].Pointer, wrong.pointer)
		})
	}
	check.Equal(t, len(site.Published()), 0)
}

// TestConsent_withdrawn takes consent away and gives it again, and does everything that could be published.
func TestConsent_withdrawn(t *testing.T) {
	t.Parallel()
	site := openSite(t)
	v := site.Traveller()
	all := func() {
		t.Helper()
		v.Must(202, "POST", "/telemetry/click", clickBody(``))
		v.Must(202, "POST", "/telemetry/page-view", `{"path":"/"}`)
		v.Must(202, "POST", "/telemetry/funnel", `{"step":"map.opened"}`)
		v.Must(201, "POST", "/wishlist", wishBody(id.New[id.Property](), ""))
	}
	v.Must(200, "GET", "/session", nil)
	all()
	v.Must(200, "PATCH", "/session", `{"consentTelemetry":false,"locale":"ur-PK"}`)
	before := site.Published()
	all()
	v.Must(200, "PATCH", "/session", `{"currency":"EUR"}`)
	now := site.Published()
	check.Equal(t, len(now), len(before))
	check.Lacks(t, strings.Join(now, " "), "locale")
	v.Must(200, "PATCH", "/session", `{"consentTelemetry":true}`)
	all()
	check.Equal(t, site.Published()[len(before):], []string{"click.recorded", "page.viewed", "funnel.step_reached", "wishlist.added"}, "published since")
}

func TestSampling_evidence(t *testing.T) {
	t.Parallel()
	site := openSite(t)
	flags := session.OpenFlags(site.Env)
	exempt := map[string]bool{session.HandoffInitiatedV1.Name: true, session.BotSuspectedV1.Name: true}
	for _, subject := range session.Publishes() {
		published := flags.Sampled(true, session.Session{}.Event(subject, nil))
		check.Equal(t, len(published) == 1, exempt[subject.Name], "%s of a silent session is published %d times", subject.Name, len(published))
	}
}

// A logBuffer keeps what the functions log.
type logBuffer struct {
	mu   sync.Mutex
	text strings.Builder
}

func (j *logBuffer) Write(b []byte) (int, error) {
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
	site := openSite(t)
	log := &logBuffer{}
	site.Front = fntest.Behind(t, observe.LogKey.With(site.Env, observe.To(log)), site.Front.Issuer(), allFunctions...)
	var answers strings.Builder
	for _, canary := range canaries {
		v := site.Traveller("X-Campaign-Source", canary, "X-Campaign-Medium", "by "+canary, "X-Campaign-Name", canary+" again",
			"Referer", "https://www.example.com/to/"+canary+"?mail="+canary, "User-Agent", "Mozilla/5.0", "Accept-Language", "en, x-"+canary)
		v.Must(201, "POST", "/wishlist", wishBody(id.New[id.Property](), `,"note":"`+canary+`"`))
		for path, body := range map[string]string{
			"/telemetry/page-view": `{"path":"/search/` + canary + `?q=` + canary + `#` + canary + `","referer":"https://` + canary + `/"}`,
			"/telemetry/funnel":    `{"step":"map.opened","metadata":{"` + canary + `":1}}`,
			"/telemetry/click":     clickBody(`,"searchSessionId":"` + canary + `"`),
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
			t.Run(trace, func(t *testing.T) {
				if at := strings.Index(strings.ToLower(text), trace); at >= 0 {
					t.Errorf("%s is in %s: …%s…", trace, where, text[max(0, at-80):min(len(text), at+80)])
				}
			})
		}
	}
	check.Equal(t, strings.Count(strings.ToLower(notes), "zarghona"), 4)
	var view struct {
		Path string `json:"path"`
	}
	site.Payload("page.viewed", &view)
	check.Equal(t, strings.HasSuffix(view.Path, "/*"), true, "path = %q", view.Path)
	if published := site.Published(); len(published) < 3*len(canaries) {
		t.Errorf("events: got %v", published)
	}
}
