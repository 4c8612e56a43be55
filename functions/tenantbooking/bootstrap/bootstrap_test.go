package bootstrap

import (
	"bytes"
	"context"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"melmastoon.ghasi.io/functions/tenantbooking/internal/hotel"
	"melmastoon.ghasi.io/functions/tenantbooking/internal/session"
	"melmastoon.ghasi.io/functions/tenantbooking/tenantbookingtest"
	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/platform/document"
	"melmastoon.ghasi.io/shared/platform/fn/observe"
	"melmastoon.ghasi.io/shared/testkit/fntest"
	"melmastoon.ghasi.io/shared/testkit/pgtest"
	"melmastoon.ghasi.io/shared/testkit/upstreamtest"
)

const path = "/bff/tenant-booking/v1/kabul-grand/bootstrap"

type served struct {
	Slug     string             `json:"tenantSlug"`
	Theme    *hotel.Theme       `json:"theme"`
	Locale   string             `json:"locale"`
	Currency string             `json:"currency"`
	Policies []hotel.PolicyView `json:"policies"`
	Degraded []string           `json:"degraded"`
	Handoff  *session.Arrival   `json:"handoffPayload"`
	CSP      CSP                `json:"csp"`
}

// jar returns the cookie of a response in the form of a request's header.
func jar(t *testing.T, a fntest.Answer) string {
	t.Helper()
	cookies, err := http.ParseSetCookie(a.Header.Get("Set-Cookie"))
	if err != nil {
		t.Fatalf("no cookie in %d %v: %s", a.Status, a.Header, a.Body)
	}
	return cookies.Name + "=" + cookies.Value
}

func TestBootstrap_beginsSession(t *testing.T) {
	t.Parallel()
	system, _ := tenantbookingtest.BuildWithHotels(t, Function)
	front := system.Front.As("")
	first := front.Get(path, "Accept-Language", "prs")
	var a, b served
	first.Into(t, &a)
	cookie := first.Header.Get("Set-Cookie")
	if first.Status != 200 || a.Slug != "kabul-grand" || a.Theme == nil || a.Locale != "fa-AF" || a.Currency != "AFN" || len(a.Policies) != 1 || a.Degraded != nil {
		t.Errorf("got %d %s", first.Status, first.Body)
	}
	for _, want := range []string{"tnt_id=tnt_session_", "; Path=/bff/tenant-booking/v1/kabul-grand;", "; HttpOnly; Secure; SameSite=Lax"} {
		if !strings.Contains(cookie, want) {
			t.Errorf("the cookie is %q, without %q", cookie, want)
		}
	}
	for name, want := range map[string]string{"Cache-Control": "private, no-store", "Content-Language": "fa-AF", "X-Cache": "MISS", "Referrer-Policy": "no-referrer"} {
		if got := first.Header.Get(name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	again := front.Get(path, "Accept-Language", "prs", "Cookie", jar(t, first))
	again.Into(t, &b)
	session := func(a fntest.Answer) string { return strings.SplitN(jar(t, a), ".", 2)[0] } // without the time of issue
	if again.Header.Get("X-Cache") != "HIT" || session(again) != session(first) || a.CSP.Nonce == b.CSP.Nonce || b.CSP.Nonce == "" {
		t.Errorf("again: %v, nonces %q and %q", again.Header, a.CSP.Nonce, b.CSP.Nonce)
	}
	tenantbookingtest.WantEvents(t, system.DB, "bootstrap.served", 1)
}

// A program's first call gets a response and writes nothing. Its cookie still opens a session.
func TestBootstrap_program(t *testing.T) {
	t.Parallel()
	system, _ := tenantbookingtest.BuildWithHotels(t, Function)
	front := system.Front.As("")
	written := func() (n int) {
		err := system.DB.Owner(t).QueryRow(t.Context(), `
			SELECT (SELECT count(*) FROM document.documents WHERE collection IN ('tnt-session', 'bootstrap-served'))
				+ (SELECT count(*) FROM bff_tenant_booking.outbox)`).Scan(&n)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	first := front.Get(path, "User-Agent", "Mozilla/5.0 HeadlessChrome/130")
	if n := written(); first.Status != 200 || n != 0 {
		t.Errorf("%d, %d documents and events are written", first.Status, n)
	}
	again := front.Get(path, "User-Agent", "Mozilla/5.0 HeadlessChrome/130", "Cookie", jar(t, first))
	session, _, _ := strings.Cut(jar(t, first), ".")
	if n := written(); again.Status != 200 || !strings.HasPrefix(jar(t, again), session) || n == 0 {
		t.Errorf("with its cookie: %d, %q after %q, %d documents and events", again.Status, jar(t, again), session, n)
	}
	before := written()
	if front.Get(path, "User-Agent", "Mozilla/5.0 (X11; Linux x86_64)"); written() != before+3 {
		t.Errorf("a browser's first call writes %d documents and events, want the session, the mark and the event", written()-before)
	}
}

func TestBootstrap_cookiePath(t *testing.T) {
	t.Parallel()
	system, _ := tenantbookingtest.BuildWithHotels(t, Function)
	base := "/bff/tenant-booking/v1/" + system.Platform.Tenants[0].ID.String()
	a := system.Front.As("").Get(base + "/bootstrap")
	if cookie, err := http.ParseSetCookie(a.Header.Get("Set-Cookie")); err != nil || cookie.Path != base {
		t.Errorf("got %d, and the cookie is for %v, %v", a.Status, cookie, err)
	}
}

func TestBootstrap_servedOnceInFiveMinutes(t *testing.T) {
	t.Parallel()
	system, _ := tenantbookingtest.BuildWithHotels(t, Function)
	front := system.Front.As("")
	cookie := jar(t, front.Get(path))
	for range 3 {
		front.Get(path, "Cookie", cookie)
	}
	system.DB.Advance(5*time.Minute - 10*time.Second)
	front.Get(path, "Cookie", cookie)
	tenantbookingtest.WantEvents(t, system.DB, "bootstrap.served", 1)
	system.DB.Advance(10 * time.Second)
	front.Get(path, "Cookie", cookie)
	front.Get(path, "Cookie", cookie)
	tenantbookingtest.WantEvents(t, system.DB, "bootstrap.served", 2)
	link := system.Link(0).Reveal()
	front.Get(path+"?h="+link, "Cookie", cookie)
	front.Get(path+"?h="+link, "Cookie", cookie)
	tenantbookingtest.WantEvents(t, system.DB, "bootstrap.served", 4)
	front.Get(path, "DNT", "1")
	tenantbookingtest.WantEvents(t, system.DB, "bootstrap.served", 4)
}

func TestBootstrap_handoff(t *testing.T) {
	t.Parallel()
	system, _ := tenantbookingtest.BuildWithHotels(t, Function)
	front, link := system.Front.As(""), path+"?h="+system.Link(0).Reveal()
	first := front.Get(link)
	var a, b served
	first.Into(t, &a)
	if first.Status != 200 || a.Handoff == nil || a.Locale != "fa-AF" || a.Currency != "USD" {
		t.Fatalf("got %d %s", first.Status, first.Body)
	}
	cookie := jar(t, first)
	front.Get(link, "Cookie", cookie).Into(t, &b)
	if b.Handoff == nil || *b.Handoff != *a.Handoff {
		t.Errorf("again: %+v, want %+v", b.Handoff, a.Handoff)
	}
	plain := front.Get(path, "Cookie", cookie)
	var c served
	plain.Into(t, &c)
	if c.Handoff != nil || c.Locale != "fa-AF" || c.Currency != "USD" {
		t.Errorf("without the link: %s", plain.Body)
	}
	for name, headers := range map[string][]string{"no session": nil, "another session": {"Cookie", jar(t, front.Get(path))}} {
		if got := front.Get(link, headers...); got.Code() != "BFF.CONSUMER.HANDOFF_REPLAYED" || got.Status != 409 || got.Header.Get("Set-Cookie") != "" {
			t.Errorf("%s: %d %s", name, got.Status, got.Body)
		}
	}
	if got := front.Get(strings.Replace(link, "kabul-grand", "herat-garden", 1)); got.Code() != "BFF.CONSUMER.HANDOFF_SIGNATURE_INVALID" {
		t.Errorf("at another hotel: %s", got.Body)
	}
	tenantbookingtest.WantEvents(t, system.DB, "handoff.consumed", 1)
	tenantbookingtest.WantEvents(t, system.DB, "flow.error_encountered", 2)
}

func TestBootstrap_prefetchUsesNoHandoff(t *testing.T) {
	t.Parallel()
	system, _ := tenantbookingtest.BuildWithHotels(t, Function)
	front, link := system.Front.As(""), path+"?h="+system.Link(0).Reveal()
	for _, test := range []struct {
		name, method string
		headers      []string
	}{
		{"a HEAD", "HEAD", nil},
		{"a prefetch", "GET", []string{"Sec-Purpose", "prefetch"}},
		{"a prerendered page", "GET", []string{"Sec-Purpose", "prefetch;prerender"}},
		{"an older browser's prefetch", "GET", []string{"Purpose", "prefetch"}},
		{"Firefox's prefetch", "GET", []string{"X-Moz", "prefetch"}},
	} {
		got := front.Send(test.method, link, nil, test.headers...)
		if got.Status != 200 || got.Header.Get("Set-Cookie") != "" || bytes.Contains(got.Body, []byte("handoffPayload")) {
			t.Errorf("%s: %d %v %s", test.name, got.Status, got.Header, got.Body)
		}
	}
	tenantbookingtest.WantEvents(t, system.DB, "handoff.consumed", 0)
	tenantbookingtest.WantEvents(t, system.DB, "bootstrap.served", 0)
	if got := front.Get(link); got.Status != 200 || !bytes.Contains(got.Body, []byte("handoffPayload")) {
		t.Errorf("after all of them: %d %s", got.Status, got.Body)
	}
}

// A journal stores the log.
type journal struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (j *journal) Write(b []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.Write(b)
}

func TestBootstrap_tokenNotLogged(t *testing.T) {
	t.Parallel()
	db, hotels, log := pgtest.New(t), tenantbookingtest.OpenHotels(t), &journal{}
	system := tenantbookingtest.BuildOn(t, db, hotels.Around(db.Env()), Function)
	e, issuer := fntest.Surround(t, system.Env)
	front := fntest.Behind(t, observe.LogKey.With(e, observe.To(log)), issuer, Function).As("")
	token := system.Link(0).Reveal()
	forged := token[:len(token)-2] + "xx"
	answers := []fntest.Answer{front.Get(path + "?h=" + token), front.Get(path + "?h=" + token), front.Get(path + "?h=" + forged), front.Get(path + "?h=" + token + "&h=2")}
	for i, want := range []int{200, 409, 401, 400} {
		if answers[i].Status != want {
			t.Errorf("answer %d is %d, want %d: %s", i, answers[i].Status, want, answers[i].Body)
		}
		if answers[i].Header.Get("Referrer-Policy") != "no-referrer" {
			t.Errorf("answer %d lets the address travel", i)
		}
	}
	body, signature := strings.Split(token, ".")[1], strings.Split(token, ".")[2]
	for where, text := range map[string]string{"the log": log.text.String(), "an event": tenantbookingtest.PublishedText(t, db)} {
		if strings.Contains(text, body) || strings.Contains(text, signature) || len(text) == 0 {
			t.Errorf("the token is in %s, or there is none:\n%s", where, text)
		}
	}
	for i, a := range answers {
		if bytes.Contains(a.Body, []byte(signature)) {
			t.Errorf("answer %d repeats the token", i)
		}
	}
}

func TestBootstrap_slowServices(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, shop string
		mood       upstreamtest.Behavior
		missing    []string
	}{
		{"a theme that hangs", "theme", upstreamtest.Hanging, []string{"theme"}},
		{"a theme that fails", "theme", upstreamtest.Failing, []string{"theme"}},
		{"another hotel's theme", "theme", upstreamtest.Garbled, []string{"theme"}},
		{"a theme that is no JSON", "theme", upstreamtest.Garbage, []string{"theme"}},
		{"a theme of 10 MB", "theme", upstreamtest.Endless, []string{"theme"}},
		{"policies that hang", "property", upstreamtest.Hanging, []string{"policies"}},
		{"policies that are no JSON", "property", upstreamtest.Garbage, []string{"policies"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			system, hotels := tenantbookingtest.BuildWithHotels(t, Function)
			hotels.SetBehavior(test.shop, test.mood)
			var a fntest.Answer
			took, stalled := fntest.Timed(func() { a = system.Front.As("").Get(path) })
			var s served
			a.Into(t, &s)
			if a.Status != 200 || !slices.Equal(s.Degraded, test.missing) || (s.Theme == nil) != slices.Contains(test.missing, "theme") {
				t.Errorf("got %d %s", a.Status, a.Body)
			}
			if took > system.Env.Timeout(Function.Spec.Timeout+50*time.Millisecond) {
				t.Errorf("took %v, not counting %v in which the machine was stalled", took, stalled)
			}
		})
	}
}

func TestBootstrap_staleTheme(t *testing.T) {
	t.Parallel()
	system, hotels := tenantbookingtest.BuildWithHotels(t, Function)
	front := system.Front.As("")
	front.Get(path)
	hotels.SetBehavior("theme", upstreamtest.Failing)
	system.DB.Advance(6 * time.Minute)
	if a := front.Get(path); a.Header.Get("X-Cache") != "STALE" || bytes.Contains(a.Body, []byte("degraded")) {
		t.Errorf("six minutes later: %s %s", a.Header.Get("X-Cache"), a.Body)
	}
	system.DB.Advance(30 * time.Minute)
	if a := front.Get(path); !bytes.Contains(a.Body, []byte(`"degraded":["theme"]`)) {
		t.Errorf("much later: %s", a.Body)
	}
}

func TestBootstrap_ownHostCookie(t *testing.T) {
	t.Parallel()
	system, _ := tenantbookingtest.BuildWithHotels(t, Function)
	front := system.Front.As("")
	at := func(host, path, from, cookie string) fntest.Answer {
		r := front.Request(t, "GET", path, nil, "Cookie", cookie)
		r.Host, r.RemoteAddr = host, from
		return front.Serve(r)
	}
	const far, near = "192.0.2.1:5000", "127.0.0.1:5000"
	own := at("kabul-grand.localhost", "/api/bootstrap", far, "")
	if cookie := own.Header.Get("Set-Cookie"); own.Status != 200 || !strings.HasPrefix(cookie, "__Host-tnt_id=tnt_session_") || !strings.Contains(cookie, "; Path=/; ") || !strings.Contains(cookie, "; Secure") {
		t.Errorf("got %d, %q", own.Status, cookie)
	}
	plain := at("kabul-grand.localhost:8080", "/api/bootstrap", near, "")
	if cookie := plain.Header.Get("Set-Cookie"); !strings.HasPrefix(cookie, "tnt_id=") || strings.Contains(cookie, "Secure") {
		t.Errorf("on loopback: %q", cookie)
	}
	session := func(a fntest.Answer) string { return strings.Split(strings.SplitN(jar(t, a), "=", 2)[1], ".")[0] }
	if again := at("kabul-grand.localhost", "/api/bootstrap", far, jar(t, own)); session(again) != session(own) {
		t.Error("the session is not known again")
	}
	if other := at("herat-garden.localhost", "/api/bootstrap", far, jar(t, own)); session(other) == session(own) {
		t.Error("one hotel's session opens another's")
	}
	if nobody := at("localhost", "/api/bootstrap", far, ""); nobody.Status != 404 || nobody.Code() != "TENANT.UNKNOWN" {
		t.Errorf("on an unknown host: %d %s", nobody.Status, nobody.Body)
	}
}

// An away is a store that does not answer.
type away struct{ document.Store }

func (away) Get(context.Context, time.Time, ...document.Name) ([]*document.Record, error) {
	return nil, fault.ErrUnavailable
}

func (away) Create(context.Context, time.Time, document.Name, document.Record) (bool, error) {
	return false, fault.ErrUnavailable
}

func (away) Put(context.Context, time.Time, document.Name, document.Record) (bool, error) {
	return false, fault.ErrUnavailable
}

func TestBootstrap_hotStoreDown(t *testing.T) {
	t.Parallel()
	db, hotels := pgtest.New(t), tenantbookingtest.OpenHotels(t)
	system := tenantbookingtest.BuildOn(t, db, hotels.Around(db.Env()), Function)
	e, issuer := fntest.Surround(t, document.StoreKey.With(system.Env, away{}))
	front, link := fntest.Behind(t, e, issuer, Function).As(""), path+"?h="+system.Link(0).Reveal()
	first := front.Get(link)
	if first.Status != 200 || first.Header.Get("X-Cache") != "BYPASS" || !bytes.Contains(first.Body, []byte("handoffPayload")) {
		t.Fatalf("got %d %v %s", first.Status, first.Header, first.Body)
	}
	if again := front.Get(link, "Cookie", jar(t, first)); again.Status != 200 || !bytes.Contains(again.Body, []byte("handoffPayload")) {
		t.Errorf("the same session: %d %s", again.Status, again.Body)
	}
	if other := front.Get(link); other.Status != 409 {
		t.Errorf("another session: %d %s", other.Status, other.Body)
	}
	front.Get(path, "Cookie", jar(t, first)) // publishing may have succeeded, so it is not repeated
	tenantbookingtest.WantEvents(t, db, "bootstrap.served", 2)
}

func TestBootstrap_unknownAndSuspended(t *testing.T) {
	t.Parallel()
	system, _ := tenantbookingtest.BuildWithHotels(t, Function)
	front := system.Front.As("")
	if a := front.Get(strings.Replace(path, "kabul-grand", "nowhere", 1)); a.Code() != "TENANT.UNKNOWN" || a.Status != 404 {
		t.Errorf("an unknown hotel: %d %s", a.Status, a.Body)
	}
	system.Platform.Change(func() { system.Platform.Tenants[1].Status = "suspended" })
	a := front.Get(strings.Replace(path, "kabul-grand", "herat-garden", 1))
	if a.Code() != "TENANT.SUSPENDED" || a.Status != 503 || a.Header.Get("Set-Cookie") != "" {
		t.Errorf("a suspended hotel: %d %s", a.Status, a.Body)
	}
}
