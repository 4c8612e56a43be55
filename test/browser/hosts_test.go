package browser

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/jackc/pgx/v5"

	"melmastoon.ghasi.io/functions/demo/sandbox/demo"
	"melmastoon.ghasi.io/shared/testkit/pgtest"
	"melmastoon.ghasi.io/test/system"
)

// The hosts of a hotel's site: the one of all hotels, its own below that, and two of its own domain.
const (
	sharedHost = "stays.example"
	domainHost = "kabul-grand.example"
	secondHost = "book.kabul-grand.example"
)

// front.html is what a hotel's own front end is: a page with a script that calls the host that it is on.
//
//go:embed front.html
var front string

// openEdge opens a system whose hotel is reached over HTTPS at its hosts, as in production, and a browser that finds them.
func openEdge(t *testing.T, more ...chromedp.ExecAllocatorOption) *guest {
	t.Helper()
	db := pgtest.New(t)
	s := system.Within(t, db, db.Env().With("SITE_DOMAIN", sharedHost).With("TENANT_RETURN_URL", "https://{site}/return/{draftId}"))
	_, err := db.Owner(t).Exec(t.Context(), `INSERT INTO sandbox.tenant_domains (tenant_id, domain) VALUES (@tenant, @domain)`,
		pgx.StrictNamedArgs{"tenant": demo.KabulGrand.Tenant, "domain": secondHost})
	if err != nil {
		t.Fatal(err)
	}
	edge := httptest.NewUnstartedServer(edgeOf(t, s))
	edge.Config.ErrorLog = log.New(io.Discard, "", 0) // browsers open connections that they do not use
	edge.StartTLS()
	t.Cleanup(edge.Close)
	address := strings.TrimPrefix(edge.URL, "https://")
	var rules []string
	for _, host := range []string{sharedHost, "*." + sharedHost, domainHost, "*." + domainHost} {
		rules = append(rules, "MAP "+host+" "+address)
	}
	return openBrowser(t, s, journey{language: "en", method: "card", expected: english, asks: "en-GB,en", scripts: true, width: wide},
		append(more, chromedp.Flag("host-resolver-rules", strings.Join(rules, ", ")), chromedp.Flag("ignore-certificate-errors", true))...)
}

// edgeOf is the load balancer: functions are behind it, and the front end is on every other path.
func edgeOf(t *testing.T, s *system.System) http.Handler {
	t.Helper()
	target, err := url.Parse(s.Cloud.URL())
	if err != nil {
		t.Fatal(err)
	}
	functions := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(target)
		r.Out.Host = r.In.Host
		r.Out.Header.Set("X-Forwarded-Proto", "https")
	}}
	page := template.Must(template.New("front").Parse(front))
	wish := (&system.Visitor{Browser: s.Browser()}).QuoteBody(system.Usual())
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/api/") || strings.HasPrefix(r.URL.Path, "/bff/") {
			functions.ServeHTTP(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		if err := page.Execute(w, map[string]any{"Shared": sharedHost, "Wish": wish, "Guest": system.GuestDetails()}); err != nil {
			t.Error(err)
		}
	})
}

// TestHosts_bookAndPay books on each host of a hotel's site. The bank leads the guest back to the host that they left, where the
// browser sends the session's cookie: the page drops the token of the return link.
func TestHosts_bookAndPay(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it starts a browser")
	}
	g := openEdge(t)
	for _, home := range []string{
		"https://" + sharedHost + "/" + demo.KabulGrand.Slug,
		"https://" + demo.KabulGrand.Slug + "." + sharedHost,
		"https://" + domainHost,
		"https://" + secondHost,
	} {
		t.Run(home, func(t *testing.T) {
			g.do("open "+home, chromedp.Navigate(home+"/"))
			g.press("#book")
			g.expect("checkout", `button[name="action"][value="pay"]`, english)
			g.press(`button[name="action"][value="pay"]`)
			g.do("see the outcome", chromedp.WaitVisible(chromedp.CSS("#outcome")))
			if at, outcome := g.address(), g.text("#outcome"); !strings.HasPrefix(at, home+"/return/bdr_") || !strings.HasPrefix(outcome, "confirmed GM-") {
				t.Errorf("returned to %s with the outcome %q, want %s/return/ and confirmed", at, outcome, home)
			}
		})
	}
	g.system.Settle()
}

// TestHosts_origins calls hosts from pages at others. The browser sends the session's cookie, and shows the answer, only on one site.
func TestHosts_origins(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it starts a browser")
	}
	g := openEdge(t)
	shared := "https://" + sharedHost + "/bff/tenant-booking/v1/" + demo.KabulGrand.Slug
	for _, test := range []struct{ from, to, want string }{
		{from: "https://" + domainHost, to: "https://" + secondHost + "/api", want: "200"},
		{from: "https://" + secondHost, to: "https://" + domainHost + "/api", want: "200"},
		{from: "https://" + domainHost, to: shared, want: "TypeError"},
		{from: "https://" + demo.HeratGarden.Slug + "." + sharedHost, to: shared, want: "TypeError"},
	} {
		t.Run(test.from+" to "+test.to, func(t *testing.T) {
			g.do("open "+test.from, chromedp.Navigate(test.from+"/"))
			// The second call is a write that a preflight precedes, and that needs the cookie of the first.
			got := ask(g, chromedp.Evaluate[string](fmt.Sprintf("both(%s)", quoted(t, test.to)), chromedp.EvalAwaitPromise))
			if got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
}

func quoted(t *testing.T, text string) string {
	t.Helper()
	literal, err := json.Marshal(text)
	if err != nil {
		t.Fatal(err)
	}
	return string(literal)
}
