package browser

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"melmastoon.ghasi.io/functions/demo/sandbox/demo"
	"melmastoon.ghasi.io/test/npm"
	"melmastoon.ghasi.io/test/seedrand"
	"melmastoon.ghasi.io/test/system"
)

// TestMarket_browser goes from the site of all hotels to a hotel's own site in English and Pashto, and in a full run in all languages of
// the site. On each page axe-core must find no violation at three widths, and the compressed page must be small.
func TestMarket_browser(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it starts a browser per language")
	}
	source := axe(t)
	s := system.Open(t)
	enableAllLanguages(s)
	if err := demo.Furnish(t.Context(), s.Env(), 10); err != nil { // with the other hotels of Kabul
		t.Fatal(err)
	}
	for _, j := range languages {
		if j.language != "en" && j.language != "ps" && !seedrand.Full(t) {
			continue
		}
		t.Run(j.language, func(t *testing.T) { // not parallel: one browser uses all CPUs of a small machine
			j.method, j.width, j.scripts = "market", narrow, true // axe-core needs scripts; the pages have none
			g := openBrowser(t, s, j)
			visit := examinedVisit{g, source}
			g.open("/hotels")
			visit.sees("start", "form.search")
			g.typeText(`[name="place"]`, "Kabul, Afghanistan")
			g.press("form.search button")
			visit.sees("results", ".card h3 a")
			visit.firstHotel()
			g.press(`a[href*="view=map"]`)
			visit.sees("map", "svg a circle")
			visit.pins()
			g.press(".card h3 a")
			visit.sees("hotel", ".calendar li")
			g.press(`form[action$="/saved"] button`)
			visit.sees("saved", `.good[role="status"]`)
			g.press(`.visit a`)
			visit.sees("list", ".card .save button")
			g.open("/hotels?place=Atlantis")
			visit.sees("unknown", "main")
			g.open("/hotels?place=Kabul")
			g.press(".card h3 a")
			g.press(`form[action$="/handoff"] button`)
			g.waitFor("article.room, form.search")
			if at := g.address(); !strings.Contains(at, "/site/") {
				t.Errorf("at = %s, want a hotel's own site", at)
			}
		})
	}
	s.Settle()
}

// languages are visits in each language of the sites. An ordinary run makes the first two.
var languages = []journey{
	{language: "en", expected: english, asks: "en-GB,en"},
	{language: "ps", expected: pashto, asks: "ps-AF,ps,en"},
	{language: "fa-AF", expected: pageLanguage{"fa-AF", "rtl"}, asks: "fa-AF,fa,en"},
	{language: "fa-IR", expected: pageLanguage{"fa-IR", "rtl"}, asks: "fa-IR,fa,en"},
	{language: "ur", expected: pageLanguage{"ur-PK", "rtl"}, asks: "ur-PK,ur,en"},
	{language: "ar", expected: pageLanguage{"ar-AE", "rtl"}, asks: "ar-AE,ar,en"},
}

// axe returns the source of axe-core.
func axe(t *testing.T) string {
	t.Helper()
	folder := npm.Install(t, root(t), "axe")
	text, err := os.ReadFile(filepath.Join(folder, "node_modules", "axe-core", "axe.min.js"))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// An examinedVisit is a guest's visit whose pages are examined by axe-core. axe is its source.
type examinedVisit struct {
	*guest
	axe string
}

const (
	maxPage   = 15_000 // bytes of a compressed page without its photos
	smallest  = 320
	ordinary  = 1280
	examining = `axe.run(document, {resultTypes: ["violations"]}).then(found =>
	found.violations.map(v => v.id + ": " + v.nodes.map(n => n.target + " " + (n.any[0]?.message ?? "")).slice(0, 3).join(" | ")))`
)

// repeatedPictures counts the pictures that another place of the page shows, too. A hotel may be in two lists.
const repeatedPictures = `(all => all.length - new Set(all).size)([...document.querySelectorAll("main section:first-of-type img, .photos img")].map(e => e.src))`

var photo = regexp.MustCompile(`data:image/[^"]*`)

// sees checks a page like guest.sees, examines it with axe-core at three widths, and checks its size.
func (v examinedVisit) sees(step, selector string) {
	v.t.Helper()
	v.guest.expect(step, selector, v.expected)
	v.examine(step)
}

// examine checks the page at three widths, with axe-core too, and its size.
func (v examinedVisit) examine(step string) {
	v.t.Helper()
	ask(v.guest, chromedp.Evaluate[bool](v.axe+";true"))
	for _, width := range []int64{smallest, narrow, ordinary} {
		v.size(width, height)
		where := fmt.Sprintf("%s in a window of %d", step, width)
		v.inspect(where, width, v.expected)
		v.violations(where)
	}
	if twice := ask(v.guest, chromedp.Evaluate[int](repeatedPictures)); twice > 0 {
		v.t.Errorf("%s shows %d pictures again", step, twice)
	}
	v.size(v.width, height)
	page := ask(v.guest, chromedp.Evaluate[string]("document.documentElement.outerHTML"))
	if n := compressed(v.t, photo.ReplaceAllString(page, "")); n > maxPage {
		v.t.Errorf("%s has %d bytes, want at most %d", step, n, maxPage)
	}
}

// firstHotel checks that the name of the first hotel and its price are in view on a telephone without scrolling.
func (v examinedVisit) firstHotel() {
	v.t.Helper()
	const telephone = 844
	v.size(narrow, telephone)
	if end := ask(v.guest, chromedp.Evaluate[float64](`document.querySelector(".card .price strong").getBoundingClientRect().bottom + scrollY`)); end > telephone {
		v.t.Errorf("the price of the first hotel ends at %.0f, want at most %d", end, telephone)
	}
	v.size(v.width, height)
}

// badPins finds the pins of a map that are smaller than 24 pixels (WCAG 2.2, 2.5.8), or whose middle another one covers.
const badPins = `[...document.querySelectorAll(".map a")].filter(pin => {
	pin.scrollIntoView({block: "center"})
	const box = pin.getBoundingClientRect()
	return box.width < 24 || box.height < 24 || !pin.contains(document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2))
}).map(pin => pin.getAttribute("aria-label"))`

// pins checks at three widths that each pin of the map can be pressed.
func (v examinedVisit) pins() {
	v.t.Helper()
	for _, width := range []int64{smallest, narrow, ordinary} {
		v.size(width, height)
		if bad := ask(v.guest, chromedp.Evaluate[[]string](badPins)); len(bad) > 0 {
			v.t.Errorf("in a window of %d pins are small or covered: %q", width, bad)
		}
	}
	v.size(v.width, height)
}

// violations reports the violations that axe-core finds on the page. axe-core must be loaded.
func (v examinedVisit) violations(where string) {
	v.t.Helper()
	for _, violation := range ask(v.guest, chromedp.Evaluate[[]string](examining, chromedp.EvalAwaitPromise)) {
		v.t.Errorf("%s: %s", where, violation)
	}
}

func compressed(t *testing.T, text string) int {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Len()
}
