package browser

import (
	"errors"
	"fmt"
	"net/url"
	"sync"

	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// expect waits until something is on the page, and inspects the page: its language, its layout in both windows, and what the
// browser has complained about. It keeps a picture of each look.
func (g *guest) expect(step, selector string, want pageLanguage) {
	g.t.Helper()
	g.waitFor(selector)
	g.taken++
	for _, window := range []struct {
		width int64
		name  string
	}{{wide, step}, {narrow, step + "-narrow"}} {
		g.size(window.width, height)
		long := g.inspect(window.name, window.width, want)
		g.size(window.width, long) // a picture that reaches beyond the window shifts pages that run from the right
		g.screenshot(window.name)
	}
	g.size(g.width, height)
	for _, complaint := range g.errors.all() {
		g.t.Errorf("at %s the browser says: %s", step, complaint)
	}
}

const (
	again = `main:not(:has(form)) > p > a` // what a page without anything else to do offers: to look again
	alert = `main [role="alert"]`
	tries = 5
)

// waitFor waits until something is on the page. On a busy machine the site may keep to its budgets and ask for another try:
// then the guest tries again, as people do. Any other problem ends the journey.
func (g *guest) waitFor(selector string) {
	g.t.Helper()
	for range tries {
		g.do("see "+selector, chromedp.WaitVisible(chromedp.CSS(selector+", "+again+", "+alert)))
		if g.shows(selector) {
			return
		}
		button := again
		if !g.shows(again) {
			button = g.pressed
		}
		at := g.address()
		if u, err := url.Parse(at); err != nil || button != again && u.Query().Get("problem") != "BFF.UPSTREAM_UNAVAILABLE" {
			break
		}
		g.t.Logf("tries %s again at %s", button, at)
		g.press(button)
	}
	g.fail("see "+selector, errors.New("it is not there"))
}

func (g *guest) shows(selector string) bool {
	g.t.Helper()
	return ask(g, chromedp.Evaluate[bool](fmt.Sprintf("document.querySelector(%q) !== null", selector)))
}

// An inspection holds the properties of a page as the browser shows it.
type inspection struct {
	Lang, Dir          string
	Window, Page, Long int64    // how wide they are, and how long the page is
	Outside            []string // what is shown beyond the sides
	Empty, Scripts     int
}

// inspectScript finds what reaches over the window's sides. What is cut to a single point is there to be heard, not seen.
const inspectScript = `({
	lang: document.documentElement.lang, dir: document.documentElement.dir,
	window: document.documentElement.clientWidth, page: document.documentElement.scrollWidth,
	long: document.documentElement.scrollHeight,
	outside: [...document.body.querySelectorAll("*")].filter(e => {
		const box = e.getBoundingClientRect()
		return box.width > 1 && (box.left < -1 || box.right > document.documentElement.clientWidth + 1)
	}).map(e => e.tagName + "." + e.className),
	empty: [...document.querySelectorAll("h1, h2, h3, button, label, dt, legend")].filter(e => !e.closest("details:not([open])") && !e.innerText.trim()).length,
	scripts: document.scripts.length,
})`

// inspect reports the faults of a page in a window of that width, and returns the height of the page.
func (g *guest) inspect(where string, width int64, want pageLanguage) int64 {
	g.t.Helper()
	l := ask(g, chromedp.Evaluate[inspection](inspectScript))
	if (pageLanguage{l.Lang, l.Dir}) != want {
		g.t.Errorf("%s is in %s, %s, want %s", where, l.Lang, l.Dir, want)
	}
	switch {
	case l.Window != width:
		g.t.Errorf("l.Window = %v, want %v", l.Window, width)
	case l.Page > l.Window:
		g.t.Errorf("l.Page = %v, want at most %v", l.Page, l.Window)
	case len(l.Outside) > 0:
		g.t.Errorf("len(l.Outside) = %v, want at most 0", len(l.Outside))
	}
	if l.Empty > 0 || l.Scripts > 0 {
		g.t.Errorf("%s has %d headings, labels or buttons without a word, and %d scripts", where, l.Empty, l.Scripts)
	}
	return l.Long
}

// browserErrors collects errors and warnings of the console, and failed requests.
type browserErrors struct {
	mutex sync.Mutex
	found []string
}

// record stores an event of the browser if it is an error.
func (t *browserErrors) record(told any) {
	switch e := told.(type) {
	case *log.EventEntryAdded:
		if e.Entry.Level == log.EntryLevelError || e.Entry.Level == log.EntryLevelWarning {
			t.notef("%s: %s %s", e.Entry.Level, e.Entry.Text, e.Entry.URL)
		}
	case *runtime.EventConsoleAPICalled:
		t.notef("console.%s", e.Type)
	case *runtime.EventExceptionThrown:
		t.notef("%s", e.ExceptionDetails.Text)
	case *network.EventLoadingFailed:
		t.notef("%s failed: %s %s", e.Type, e.ErrorText, e.BlockedReason)
	case *network.EventResponseReceived:
		if e.Response.Status >= 400 {
			t.notef("%s answered %d", e.Response.URL, e.Response.Status)
		}
	}
}

func (t *browserErrors) notef(format string, args ...any) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	t.found = append(t.found, fmt.Sprintf(format, args...))
}

// all returns what it has heard since it was asked last.
func (t *browserErrors) all() []string {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	found := t.found
	t.found = nil
	return found
}
