// Package browser books rooms on a hotel's site as people do: in a browser, with its buttons. Of each step it keeps a
// picture, for a person to look at.
package browser

import (
	"fmt"
	"net/http"
	"net/url"
	"path"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"melmastoon.ghasi.io/functions/demo/sandbox/demo"
	"melmastoon.ghasi.io/test/system"
)

// A journey is one way to book.
type journey struct {
	language, method string // method: card, cash, or a key of scenarios
	expected         pageLanguage
	asks             string // the languages that the browser asks for
	chooses          bool   // whether the guest chooses their language on the page
	scripts          bool   // whether the browser would run any
	width            int64  // of the window in which the buttons are pressed
}

var journeys = []journey{
	{language: "en", method: "card", expected: english, asks: "en-GB,en", width: wide},
	{language: "en", method: "cash", expected: english, asks: "en-GB,en", scripts: true, width: narrow},
	{language: "ps", method: "card", expected: pashto, asks: "ps-AF,ps,en", scripts: true, width: narrow},
	{language: "ps", method: "cash", expected: pashto, asks: "en-GB,en", chooses: true, width: wide},
	{language: "fa-AF", method: "phone", expected: pageLanguage{"fa-AF", "rtl"}, asks: "fa-AF,fa,en", width: narrow},
	{language: "fa-IR", method: "3ds", expected: pageLanguage{"fa-IR", "rtl"}, asks: "fa-IR,fa,en", width: wide},
	{language: "ur", method: "posted", expected: pageLanguage{"ur-PK", "rtl"}, asks: "en-GB,en", chooses: true, width: narrow},
	{language: "ar", method: "bank", expected: pageLanguage{"ar-AE", "rtl"}, asks: "ar-AE,ar,en", width: wide},
}

// names are the first and the last name of the guest in each language.
var names = map[string][2]string{
	"en": {"Zarghona", "Ahmadzai"}, "ps": {"زرغونه", "احمدزۍ"}, "fa-AF": {"زرغونه", "احمدی"}, "fa-IR": {"زهرا", "احمدی"},
	"ur": {"زرغونہ", "احمد"}, "ar": {"زرغونة", "أحمد"},
}

// scenarios are the ways to pay besides a card and cash: the method and the scenario that the sandbox simulates.
var scenarios = map[string][2]string{
	"phone": {"mfs", ""}, "3ds": {"card", "challenge_3ds"}, "posted": {"card", "posted_return"}, "bank": {"card", "pending"},
}

func TestBrowser_booksRoom(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it starts a browser per journey")
	}
	for _, j := range journeys { // one after the other: a browser takes all of a small machine, and the site has budgets to keep
		t.Run(j.language+" "+j.method, func(t *testing.T) {
			s := system.Open(t)
			enableAllLanguages(s)
			g := openBrowser(t, s, j)
			g.search()
			g.choose()
			g.setGuestDetails()
			g.pay()
			g.booked()
			s.Settle()
		})
	}
}

// enableAllLanguages configures the hotel to offer all languages of the site.
func enableAllLanguages(s *system.System) {
	s.Must(http.StatusOK, system.Request{Method: http.MethodPatch, Path: "/sandbox/tenant/v1/tenants/" + demo.KabulGrand.Tenant.String() + "/config",
		Body: map[string]any{"locales": []string{"ps-AF", "fa-AF", "fa-IR", "ur-PK", "ar-AE", "en"}}})
}

// search looks for a room in two weeks.
func (g *guest) search() {
	g.t.Helper()
	g.open("/site/" + demo.KabulGrand.Slug)
	if g.chooses {
		g.expect("welcome", "form.search", english)
		if n := ask(g, chromedp.Evaluate[int](`document.querySelectorAll("select[name=locale] option").length`)); n != 6 {
			g.t.Errorf("the selector offers %d languages, want 6", n)
		}
		g.fill("locale", g.expected.lang)
		g.press("form.preferences button")
	}
	g.expect("search", "html[lang="+g.expected.lang+"] form.search", g.expected)
	today := g.system.Env().Now()
	g.date("checkIn", today.AddDate(0, 0, 14).Format(time.DateOnly))
	g.date("checkOut", today.AddDate(0, 0, 16).Format(time.DateOnly))
	g.press("form.search button")
	g.waitFor("article.room")
	g.checkScroll()
	g.expect("rooms", "article.room", g.expected)
}

// date fills in a date: in Pashto and Persian by the selectors of the solar calendar, to which the browser converts it.
func (g *guest) date(name, value string) {
	g.t.Helper()
	if language, _, _ := strings.Cut(g.expected.lang, "-"); language != "ps" && language != "fa" {
		g.fill(name, value)
		return
	}
	year := ask(g, chromedp.Evaluate[string](fmt.Sprintf(`(() => {
		const form = new Intl.DateTimeFormat("en-u-ca-persian-nu-latn", {day: "numeric", month: "numeric", year: "numeric", timeZone: "UTC"})
		const parts = Object.fromEntries(form.formatToParts(new Date(%[1]q)).map(p => [p.type, p.value]))
		for (const part of ["Day", "Month", "Year"])
			document.querySelector("[name=" + %[2]q + part + "]").value = parts[part.toLowerCase()]
		return document.querySelector("[name=" + %[2]q + "Year]").value
	})()`, value, name)))
	if len(year) != 4 {
		g.t.Errorf("%s has the year %q, want one of the solar calendar", name, year)
	}
}

// checkScroll checks the position of the page after a search: in a narrow window it is scrolled to the results, in a wide window it is
// not scrolled, because the form and the first room are both visible.
func (g *guest) checkScroll() {
	g.t.Helper()
	top := ask(g, chromedp.Evaluate[float64](`document.querySelector("#found").getBoundingClientRect().top`))
	scrolled := ask(g, chromedp.Evaluate[float64](`window.scrollY`))
	if got, want := scrolled > 0, g.width == narrow; got != want {
		g.t.Errorf("in a window of %d the page is scrolled by %.0f, want scrolled: %t", g.width, scrolled, want)
	}
	if g.width == narrow && (top < 0 || top > 100) {
		g.t.Errorf("in a window of %d the rooms begin at %.0f, want 0 to 100", g.width, top)
	}
}

// choose takes the first room at its first rate.
func (g *guest) choose() {
	g.t.Helper()
	g.press(`form[action$="/choices"] button`)
	g.expect("details", `form[action$="/guest"]`, g.expected)
}

// setGuestDetails fills in the form with the guest's details.
func (g *guest) setGuestDetails() {
	g.t.Helper()
	name := names[g.language]
	g.typeText("#firstName", name[0])
	g.typeText("#lastName", name[1])
	g.typeText("#email", "zarghona@example.com")
	g.typeText("#phone", "+93 70 012 3456")
	g.expect("filled", `form[action$="/guest"]`, g.expected)
	g.press(`form[action$="/guest"] button`)
	g.expect("payment", `form[action$="/payment"]`, g.expected)
}

// pay pays now at the bank, whose page is in the guest's language too, or promises to pay on arrival.
func (g *guest) pay() {
	g.t.Helper()
	method := map[string]string{"card": "card", "cash": "cash_on_arrival"}[g.method]
	if played, ok := scenarios[g.method]; ok {
		method = played[0]
		g.setScenario(played[1])
	}
	g.tick(`input[name="method"][value="` + method + `"]`)
	g.expect("method", `input[name="method"][value="`+method+`"]:checked`, g.expected)
	g.press(`form[action$="/payment"] button`)
	g.setScenario("")
	const yes = `button[name="action"][value="pay"]`
	if method != "mfs" && method != "cash_on_arrival" {
		g.expect("checkout", yes, g.expected) // the bank's page, or for 3-D Secure the hotel's
		g.press(yes)
	}
	switch g.method {
	case "phone":
		g.expectPending("pay")
	case "bank":
		g.expectPending("capture")
	}
}

// lookAgain is the button of the waiting page.
const lookAgain = `a.button[href*="/return/"]`

// expectPending checks the waiting page, acts for the phone or the bank, and looks again with the keyboard.
func (g *guest) expectPending(action string) {
	g.t.Helper()
	const link = `a[target="_blank"]`
	g.do("see the waiting page", chromedp.WaitVisible(chromedp.CSS(link)))
	g.inspect("waiting", g.width, g.expected)
	provider, err := url.Parse(ask(g, chromedp.Evaluate[string](`document.querySelector('`+link+`').href`)))
	if err != nil {
		g.t.Fatal(err)
	}
	g.system.Must(http.StatusSeeOther, system.Request{Method: http.MethodPost, Path: provider.Path, Body: "action=" + action})
	if !ask(g, chromedp.Evaluate[bool](`document.activeElement.matches('`+lookAgain+`')`)) {
		g.t.Error("the button of the waiting page does not have the focus")
	}
	g.pressed = lookAgain
	g.follow("look again", chromedp.KeyEvent(kb.Enter))
	g.waitFor("strong.code")
}

// booked reads the confirmation, and asks the reservation service whether it is true.
func (g *guest) booked() {
	g.t.Helper()
	g.expect("confirmation", "strong.code", g.expected)
	code := strings.TrimSpace(g.text("strong.code"))
	at, err := url.Parse(g.address())
	if err != nil {
		g.t.Fatal(err)
	}
	var reservation struct{ State, ReservationCode string }
	g.system.Must(http.StatusOK, system.Request{Method: http.MethodGet, Path: "/api/v1/reservations/" + path.Base(at.Path),
		Header: map[string]string{"X-Tenant-Id": demo.KabulGrand.Tenant.String()}}).Into(g.t, &reservation)
	switch {
	case reservation.State != "confirmed":
		g.t.Errorf(`reservation.State = %q, want "confirmed"`, reservation.State)
	case code == "":
		g.t.Errorf(`code = %q, want other than ""`, code)
	case reservation.ReservationCode != code:
		g.t.Errorf("reservation.ReservationCode = %v, want %v", reservation.ReservationCode, code)
	}
}
