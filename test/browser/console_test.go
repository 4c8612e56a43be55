package browser

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp"

	"melmastoon.ghasi.io/test/system"
)

// TestConsole opens every page of the local cloud's console with and without JavaScript, in a wide and a narrow window: the browser
// complains about nothing, no page is wider than its window, and axe-core finds no violation.
func TestConsole(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it starts a browser")
	}
	source := axe(t)
	s := system.Open(t)
	b := s.Book(system.Usual()).Intend("card").Pay()
	for _, scripts := range []bool{false, true} {
		t.Run(fmt.Sprint("scripts ", scripts), func(t *testing.T) {
			g := openBrowser(t, s, journey{language: "console", method: fmt.Sprint(scripts), asks: "en", scripts: scripts, width: wide})
			for _, page := range []struct{ name, path, want string }{
				{name: "start", path: "/", want: "dl.figures"},
				{name: "start", path: "/-/", want: "dl.figures"},
				{name: "functions", path: "/-/functions", want: "tbody tr"},
				{name: "function", path: "/-/functions/reservation-hold", want: "tbody tr"},
				{name: "events", path: "/-/events", want: "tbody a"},
				{name: "event", path: "/-/events/1", want: "pre"},
				{name: "booking", path: "/-/booking?id=" + b.Code, want: "svg circle"},
				{name: "outbox", path: "/-/outbox", want: "tbody tr"},
				{name: "letters", path: "/-/letters", want: "main p"},
				{name: "time", path: "/-/clock", want: "tbody tr"},
				{name: "failures", path: "/-/failures", want: "select"},
				{name: "hotels", path: "/-/hotels", want: "tbody a"},
			} {
				t.Run(page.name, func(t *testing.T) {
					g.open(page.path)
					g.do("see "+page.path, chromedp.WaitVisible(chromedp.CSS(page.want)))
					for _, width := range []int64{wide, narrow} {
						t.Run(fmt.Sprint(width), func(t *testing.T) {
							g.size(width, height)
							if over := ask(g, chromedp.Evaluate[int64](`document.documentElement.scrollWidth - document.documentElement.clientWidth`)); over > 0 {
								t.Errorf("the page is %d pixels wider than the window, want 0", over)
							}
							g.taken++
							g.screenshot(fmt.Sprint(page.name, "-", width))
							if scripts {
								ask(g, chromedp.Evaluate[bool](source+";true"))
								examinedVisit{g, source}.violations(fmt.Sprintf("%s in a window of %d", page.path, width))
							}
						})
					}
				})
			}
			if scripts {
				g.open("/-/functions")
				g.do("see that the page is live", chromedp.WaitVisible(chromedp.CSS("#live")))
			}
			g.open("/-/failures")
			g.press(`main form button`)
			g.do("see the run", chromedp.WaitVisible(chromedp.CSS(`[role="status"]`)))
			if scripts {
				ask(g, chromedp.Evaluate[bool](source+";true"))
				examinedVisit{g, source}.violations("run")
			}
			for _, complaint := range g.errors.all() {
				t.Errorf("the browser says: %s", complaint)
			}
		})
	}
	s.Settle()
}
