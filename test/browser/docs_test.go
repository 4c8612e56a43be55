package browser

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"melmastoon.ghasi.io/test/system"
)

// TestDocs opens every page of the documentation in a wide and a narrow window, follows the anchor of an error code, and sends a request
// from the console of a document. The browser must report no error, and no page may be wider than its window.
func TestDocs(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it starts a browser")
	}
	s := system.Open(t)
	g := openBrowser(t, s, journey{language: "docs", method: "all", asks: "en", scripts: true, width: wide})
	const console = ".swagger-ui .opblock"
	for _, page := range []struct{ name, path, want string }{
		{name: "index", path: "/docs", want: "main td"},
		{name: "events", path: "/docs?page=events", want: "section dl"},
		{name: "errors", path: "/docs?page=errors", want: "section dl"},
		{name: "consumer", path: "/docs?page=consumer", want: console},
		{name: "tenantbooking", path: "/docs?page=tenantbooking", want: console},
		{name: "reservation", path: "/docs?page=reservation", want: console},
		{name: "sandbox", path: "/docs?page=sandbox", want: console},
		{name: "storefront", path: "/docs?page=storefront", want: console},
		{name: "frontdesk", path: "/docs?page=frontdesk", want: console},
	} {
		t.Run(page.name, func(t *testing.T) {
			g.open(page.path)
			g.do("see "+page.path, chromedp.WaitVisible(chromedp.CSS(page.want)))
			if g.shows(".swagger-ui .errors-wrapper") {
				t.Errorf("got errors %s, want none", g.text(".swagger-ui .errors-wrapper"))
			}
			for _, width := range []int64{wide, narrow} {
				t.Run(fmt.Sprint(width), func(t *testing.T) {
					g.size(width, height)
					if over := ask(g, chromedp.Evaluate[int64](`document.documentElement.scrollWidth - document.documentElement.clientWidth`)); over > 0 {
						t.Errorf("the page is %d pixels wider than the window, want 0", over)
					}
					g.taken++
					g.screenshot(fmt.Sprint(page.name, "-", width))
				})
			}
			g.size(wide, height)
		})
	}
	g.open("/docs?page=errors#RESERVATION/OVERBOOKING_BLOCKED")
	if got := g.text("section:target h2"); got != "MELMASTOON.RESERVATION.OVERBOOKING_BLOCKED" {
		t.Errorf("the anchor of an error code leads to %q", got)
	}
	g.open("/docs?page=consumer#/session/getSession")
	g.do("see the parameters", chromedp.WaitVisible(chromedp.CSS(".opblock.is-open .parameters")))
	names := ask(g, chromedp.Evaluate[[]string](`[...document.querySelectorAll(".opblock.is-open .parameters tbody tr")].map(row => row.dataset.paramName ?? "")`))
	if !slices.Contains(names, "X-Challenge-Response") || slices.Contains(names, "") {
		t.Errorf("the console shows the parameters %q, want X-Challenge-Response among them and no empty row", names)
	}
	// A reader presses Execute and types nothing: the documents have the ids, and the console makes the key.
	press := func(operation, want string) {
		t.Helper()
		g.do("see the parameters", chromedp.WaitVisible(chromedp.CSS(".opblock.is-open .parameters tbody tr")))
		// Not at a position: the page still scrolls to the operation.
		ask(g, chromedp.Evaluate[bool](`document.querySelector(".opblock.is-open .execute").click() ?? true`))
		const answered = ".live-responses-table tbody .response-col_status"
		g.do("see the answer", chromedp.WaitVisible(chromedp.CSS(answered)))
		if got := g.text(answered); !strings.HasPrefix(got, want) {
			t.Errorf("%s: the console shows the status %q, want %s", operation, got, want)
		}
	}
	press("session/getSession", "200")
	g.open("/docs") // a new address of the same page would not load it again
	g.open("/docs?page=consumer#/hotels/getHotel")
	press("hotels/getHotel", "200")
	g.open("/docs")
	g.open("/docs?page=consumer#/wishlist/addToWishlist")
	press("wishlist/addToWishlist", "201")
	g.taken++
	g.screenshot("answer")
	for _, complaint := range g.errors.all() {
		t.Errorf("the browser says: %s", complaint)
	}
	s.Settle()
}
