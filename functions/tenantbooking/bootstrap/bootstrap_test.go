package bootstrap

import (
	"bytes"
	"context"
	"fmt"
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
	"melmastoon.ghasi.io/shared/testkit/check"
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
	check.Must(t, err, "no cookie in %d %v: %s", a.Status, a.Header, a.Body)
	return cookies.Name + "=" + cookies.Value
}

func TestBootstrap_beginsSession(t *testing.T) {
	t.Parallel()
	system, _ := tenantbookingtest.BuildWithHotels(t, Function)
	front := system.Front.As("")
	first := front.Get(path, "Accept-Language", "prs", "User-Agent", "Mobile")
	var a, b served
	first.Into(t, &a)
	cookie := first.Header.Get("Set-Cookie")
	check.Equal(t, a.Slug, "kabul-grand")
	check.NotEqual(t, a.Theme, nil, "no theme")
	check.Equal(t, a.Locale, "fa-AF", "language")
	check.Equal(t, a.Currency, "AFN")
	check.Equal(t, len(a.Policies), 1)
	check.Equal(t, a.Degraded, nil)
	for _, want := range []string{"tnt_id=tnt_session_", "; Path=/bff/tenant-booking/v1/kabul-grand;", "; HttpOnly; Secure; SameSite=Lax"} {
		t.Run(want, func(t *testing.T) {
			check.Contains(t, cookie, want)
		})
	}
	first.Want(t, 200, "Cache-Control", "private, no-store", "Content-Language", "fa-AF", "X-Cache", "MISS", "Referrer-Policy", "no-referrer")
	again := front.Get(path, "Accept-Language", "prs", "Cookie", jar(t, first))
	again.Into(t, &b)
	session := func(a fntest.Answer) string { return strings.SplitN(jar(t, a), ".", 2)[0] } // without the time of issue
	again.Want(t, 200, "X-Cache", "HIT")
	check.Equal(t, session(again), session(first), "again: session")
	check.NotEqual(t, b.CSP.Nonce, "", "again: no nonce")
	check.NotEqual(t, a.CSP.Nonce, b.CSP.Nonce, "the nonce is used twice")
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
		check.Must(t, err)
		return n
	}
	first := front.Get(path, "User-Agent", "Mozilla/5.0 HeadlessChrome/130")
	first.Want(t, 200)
	check.Equal(t, written(), 0, "the first call wrote documents and events")
	again := front.Get(path, "User-Agent", "Mozilla/5.0 HeadlessChrome/130", "Cookie", jar(t, first))
	session, _, _ := strings.Cut(jar(t, first), ".")
	again.Want(t, 200)
	check.Equal(t, strings.HasPrefix(jar(t, again), session), true, "with its cookie: %q", jar(t, again))
	before := written()
	check.NotEqual(t, before, 0, "with its cookie: no document or event")
	front.Get(path, "User-Agent", "Mozilla/5.0 (X11; Linux x86_64)")
	check.Equal(t, written(), before+3, "a browser's first call writes the session, the mark and the event")
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
	cookie := jar(t, front.Get(path, "User-Agent", "Mobile"))
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
	for range 4 {
		front.Get(path+"?h="+link, "Cookie", cookie)
	}
	tenantbookingtest.WantEvents(t, system.DB, "bootstrap.served", 3)
	front.Get(path+"?h="+system.Link(0).Reveal(), "Cookie", cookie)
	tenantbookingtest.WantEvents(t, system.DB, "bootstrap.served", 4)
	front.Get(path, "DNT", "1")
	tenantbookingtest.WantEvents(t, system.DB, "bootstrap.served", 4)
	var parts []string // of each event: those of hits too
	err := system.DB.Owner(t).QueryRow(t.Context(), `
		SELECT array_agg((SELECT string_agg(part, ' ' ORDER BY part) FROM jsonb_object_keys(payload -> 'fanoutLatencyMs') AS part) ORDER BY seq)
		FROM bff_tenant_booking.outbox WHERE subject LIKE '%bootstrap.served%'`).Scan(&parts)
	check.Must(t, err)
	const all = "policies tenant theme"
	check.Equal(t, parts, []string{all, all, all, all}, "members of fanoutLatencyMs")
}

func TestBootstrap_handoff(t *testing.T) {
	t.Parallel()
	system, _ := tenantbookingtest.BuildWithHotels(t, Function)
	front, link := system.Front.As(""), path+"?h="+system.Link(0).Reveal()
	first := front.Get(link)
	var a, b served
	first.Into(t, &a)
	first.Want(t, 200)
	check.MustNotEqual(t, a.Handoff, nil, "no handoff: %s", first.Body)
	preferences := func(when string, s served) {
		t.Helper()
		check.Equal(t, s.Locale, "fa-AF", "%s: language", when)
		check.Equal(t, s.Currency, "USD", "%s: currency", when)
	}
	preferences("with the link", a)
	cookie := jar(t, first)
	front.Get(link, "Cookie", cookie).Into(t, &b)
	if b.Handoff == nil {
		t.Error("again: got no handoff")
	} else if *b.Handoff != *a.Handoff {
		t.Errorf("again: got handoff %+v, want %+v", b.Handoff, a.Handoff)
	}
	c := fntest.Read[served](t, front.Get(path, "Cookie", cookie))
	preferences("without the link", c)
	check.Equal(t, c.Handoff, nil, "without the link: handoff")
	for name, headers := range map[string][]string{"no_session": nil, "another_session": {"Cookie", jar(t, front.Get(path))}} {
		t.Run(name, func(t *testing.T) {
			refused := front.Get(link, headers...)
			refused.WantProblem(t, 409, "BFF.CONSUMER.HANDOFF_REPLAYED", "Set-Cookie", "")
			expectChoices(t, refused, *a.Handoff)
		})
	}
	front.Get(strings.Replace(link, "kabul-grand", "herat-garden", 1)).WantProblem(t, 401, "BFF.CONSUMER.HANDOFF_SIGNATURE_INVALID")
	tenantbookingtest.WantEvents(t, system.DB, "handoff.consumed", 1)
	tenantbookingtest.WantEvents(t, system.DB, "flow.error_encountered", 2)
}

// expectChoices fails the test unless a refusal of a handoff has the guest's choices.
func expectChoices(t *testing.T, a fntest.Answer, want session.Arrival) {
	t.Helper()
	var problem struct {
		Handoff *session.Arrival `json:"handoffPayload"`
	}
	if a.Into(t, &problem); problem.Handoff == nil || *problem.Handoff != want {
		t.Errorf("the refusal has the choices %+v, want %+v", problem.Handoff, want)
	}
}

func TestBootstrap_handoffExpired(t *testing.T) {
	t.Parallel()
	system, _ := tenantbookingtest.BuildWithHotels(t, Function)
	front, link := system.Front.As(""), path+"?h="+system.Link(0).Reveal()
	first := fntest.Read[served](t, front.Get(link, "Sec-Purpose", "prefetch"))
	system.DB.Advance(31 * time.Minute)
	refused := front.Get(link)
	refused.WantProblem(t, 410, "BFF.CONSUMER.HANDOFF_EXPIRED", "Set-Cookie", "")
	expectChoices(t, refused, *first.Handoff)
	late := fntest.Read[served](t, front.Get(link, "Sec-Purpose", "prefetch"))
	check.Equal(t, late.Handoff, nil, "a prefetch after the expiry gets the handoff")
}

// TestBootstrap_speculative opens the link with programs and prefetches. They get the guest's choices and use nothing up.
func TestBootstrap_speculative(t *testing.T) {
	t.Parallel()
	system, _ := tenantbookingtest.BuildWithHotels(t, Function)
	front, link := system.Front.As(""), path+"?h="+system.Link(0).Reveal()
	for _, test := range []struct {
		name, method string
		headers      []string
	}{
		{"HEAD", "HEAD", nil},
		{"prefetch", "GET", []string{"Sec-Purpose", "prefetch"}},
		{"prerender", "GET", []string{"Sec-Purpose", "prefetch;prerender"}},
		{"Purpose_header", "GET", []string{"Purpose", "prefetch"}},
		{"X-Moz_header", "GET", []string{"X-Moz", "prefetch"}},
		{"image", "GET", []string{"Sec-Fetch-Dest", "image"}},
		{"messenger", "GET", []string{"User-Agent", "WhatsApp/2.23.20.0 A"}},
		{"mail", "GET", []string{"User-Agent", "Mozilla/5.0 (Windows NT 6.1; WOW64) SkypeUriPreview Preview/0.5"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := front.Send(test.method, link, nil, test.headers...)
			got.Want(t, 200, "Set-Cookie", "")
			if test.method == "GET" {
				got.WantText(t, "handoffPayload")
			}
		})
	}
	tenantbookingtest.WantEvents(t, system.DB, "handoff.consumed", 0)
	tenantbookingtest.WantEvents(t, system.DB, "bootstrap.served", 0)
	after := front.Get(link)
	after.Want(t, 200)
	after.WantText(t, "handoffPayload")
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
		answers[i].Want(t, want, "Referrer-Policy", "no-referrer")
	}
	body, signature := strings.Split(token, ".")[1], strings.Split(token, ".")[2]
	for where, text := range map[string]string{"the log": log.text.String(), "an event": tenantbookingtest.PublishedText(t, db)} {
		t.Run(where, func(t *testing.T) {
			check.NotEqual(t, text, "", "is empty")
			for name, part := range map[string]string{"body": body, "signature": signature} {
				t.Run(name, func(t *testing.T) {
					check.Lacks(t, text, part)
				})
			}
		})
	}
	for i, a := range answers {
		check.Equal(t, bytes.Contains(a.Body, []byte(signature)), false, "answer %d repeats the token", i)
	}
}

func TestBootstrap_slowServices(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, service string
		behavior      upstreamtest.Behavior
		missing       []string
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
			hotels.SetBehavior(test.service, test.behavior)
			var a fntest.Answer
			took, stalled := fntest.Timed(func() { a = system.Front.As("").Get(path) })
			s := fntest.Read[served](t, a)
			a.Want(t, 200)
			check.Equal(t, s.Degraded, test.missing)
			check.Equal(t, s.Theme != nil, !slices.Contains(test.missing, "theme"), "a theme")
			if want := system.Env.Timeout(Function.Spec.Timeout + 50*time.Millisecond); took > want {
				t.Errorf("took %v, not counting %v in which the machine was stalled, want at most %v", took, stalled, want)
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
	a := front.Get(path)
	a.Want(t, 200, "X-Cache", "STALE")
	check.Equal(t, bytes.Contains(a.Body, []byte("degraded")), false, "six minutes later: degraded in %s", a.Body)
	system.DB.Advance(30 * time.Minute)
	front.Get(path).WantText(t, `"degraded":["theme"]`)
}

// composedAt is the age of the oldest part, serverTime the time of the response.
func TestBootstrap_composedAt(t *testing.T) {
	t.Parallel()
	system, hotels := tenantbookingtest.BuildWithHotels(t, Function)
	front := system.Front.As("")
	times := func(state string, wantAge time.Duration) {
		t.Helper()
		var b Bootstrap
		a := front.Get(path)
		a.Into(t, &b)
		a.Want(t, 200, "X-Cache", state)
		const tolerance = 30 * time.Second // the machine's own time passes too
		if got := b.ServerTime.Sub(b.ComposedAt); got < wantAge || got > wantAge+tolerance {
			t.Errorf("%s: composed %v before serverTime, want %v", state, got, wantAge)
		}
	}
	times("MISS", 0)
	system.DB.Advance(2 * time.Minute)
	times("HIT", 2*time.Minute)
	hotels.SetBehavior("theme", upstreamtest.Failing)
	system.DB.Advance(4 * time.Minute)
	times("STALE", 6*time.Minute) // the policies are new, the theme is not
	hotels.SetBehavior("theme", upstreamtest.Working)
	system.DB.Advance(5 * time.Minute)
	times("MISS", 0)
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
	own.Want(t, 200)
	for _, want := range []string{"__Host-tnt_id=tnt_session_", "; Path=/; ", "; Secure"} {
		t.Run(fmt.Sprintf("%q", want), func(t *testing.T) {
			check.Contains(t, own.Header.Get("Set-Cookie"), want)
		})
	}
	plain := at("kabul-grand.localhost:8080", "/api/bootstrap", near, "").Header.Get("Set-Cookie")
	check.Equal(t, strings.HasPrefix(plain, "tnt_id="), true, "on loopback: the cookie %q", plain)
	check.Lacks(t, plain, "Secure")
	session := func(a fntest.Answer) string { return strings.Split(strings.SplitN(jar(t, a), "=", 2)[1], ".")[0] }
	check.Equal(t, session(at("kabul-grand.localhost", "/api/bootstrap", far, jar(t, own))), session(own), "the session is not known again")
	check.NotEqual(t, session(at("herat-garden.localhost", "/api/bootstrap", far, jar(t, own))), session(own), "one hotel's session opens another's")
	at("localhost", "/api/bootstrap", far, "").WantProblem(t, 404, "TENANT.UNKNOWN") // an unknown host
}

// An away is a store that does not answer.
type unavailableStore struct{ document.Store }

func (unavailableStore) Get(context.Context, time.Time, ...document.Name) ([]*document.Record, error) {
	return nil, fault.ErrUnavailable
}

func (unavailableStore) Create(context.Context, time.Time, document.Name, document.Record) (bool, error) {
	return false, fault.ErrUnavailable
}

func (unavailableStore) Put(context.Context, time.Time, document.Name, document.Record) (bool, error) {
	return false, fault.ErrUnavailable
}

func TestBootstrap_hotStoreDown(t *testing.T) {
	t.Parallel()
	db, hotels := pgtest.New(t), tenantbookingtest.OpenHotels(t)
	system := tenantbookingtest.BuildOn(t, db, hotels.Around(db.Env()), Function)
	e, issuer := fntest.Surround(t, document.StoreKey.With(system.Env, unavailableStore{}))
	front, link := fntest.Behind(t, e, issuer, Function).As(""), path+"?h="+system.Link(0).Reveal()
	first := front.Get(link)
	first.Want(t, 200, "X-Cache", "BYPASS")
	first.WantText(t, "handoffPayload")
	again := front.Get(link, "Cookie", jar(t, first))
	again.Want(t, 200)
	again.WantText(t, "handoffPayload")
	front.Get(link).Want(t, 409)             // another session
	front.Get(path, "Cookie", jar(t, first)) // without its document the session is silent
	tenantbookingtest.WantEvents(t, db, "bootstrap.served", 1)
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
	a.WantProblem(t, 503, "TENANT.SUSPENDED", "Set-Cookie", "")
}
