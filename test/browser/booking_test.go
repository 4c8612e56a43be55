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

	"melmastoon.ghasi.io/functions/sandbox/demo"
	"melmastoon.ghasi.io/test/system"
)

// A journey is one way to book.
type journey struct {
	language, method string // method: card, cash, or a key of scenarios
	tongue           tongue
	asks             string // the languages that the browser asks for
	chooses          bool   // whether the guest chooses their language on the page
	scripts          bool   // whether the browser would run any
	width            int64  // of the window in which the buttons are pressed
}

var journeys = []journey{
	{language: "en", method: "card", tongue: english, asks: "en-GB,en", width: wide},
	{language: "en", method: "cash", tongue: english, asks: "en-GB,en", scripts: true, width: narrow},
	{language: "ps", method: "card", tongue: pashto, asks: "ps-AF,ps,en", scripts: true, width: narrow},
	{language: "ps", method: "cash", tongue: pashto, asks: "en-GB,en", chooses: true, width: wide},
	{language: "fa-AF", method: "phone", tongue: tongue{"fa-AF", "rtl"}, asks: "fa-AF,fa,en", width: narrow},
	{language: "fa-IR", method: "3ds", tongue: tongue{"fa-IR", "rtl"}, asks: "fa-IR,fa,en", width: wide},
	{language: "ur", method: "posted", tongue: tongue{"ur-PK", "rtl"}, asks: "en-GB,en", chooses: true, width: narrow},
	{language: "ar", method: "bank", tongue: tongue{"ar-AE", "rtl"}, asks: "ar-AE,ar,en", width: wide},
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
			speakAll(s)
			g := sit(t, s, j)
			g.search()
			g.choose()
			g.introduce()
			g.pay()
			g.booked()
			s.Settle()
		})
	}
}

// speakAll configures the hotel to offer all languages of the site.
func speakAll(s *system.System) {
	s.Must(http.StatusOK, system.Request{Method: http.MethodPatch, Path: "/sandbox/tenant/v1/tenants/" + demo.KabulGrand.Tenant.String() + "/config",
		Body: map[string]any{"locales": []string{"ps-AF", "fa-AF", "fa-IR", "ur-PK", "ar-AE", "en"}}})
}

// search looks for a room in two weeks.
func (g *guest) search() {
	g.t.Helper()
	g.open("/site/" + demo.KabulGrand.Slug)
	if g.chooses {
		g.sees("welcome", "form.search", english)
		if n := ask(g, chromedp.Evaluate[int](`document.querySelectorAll("select[name=locale] option").length`)); n != 6 {
			g.t.Errorf("the selector offers %d languages, want 6", n)
		}
		g.fill("locale", g.tongue.lang)
		g.press("form.preferences button")
	}
	g.sees("search", "html[lang="+g.tongue.lang+"] form.search", g.tongue)
	today := g.stage.Env().Now()
	g.date("checkIn", today.AddDate(0, 0, 14).Format(time.DateOnly))
	g.date("checkOut", today.AddDate(0, 0, 16).Format(time.DateOnly))
	g.press("form.search button")
	g.reaches("article.room")
	g.checkScroll()
	g.sees("rooms", "article.room", g.tongue)
}

// date fills in a date: in Pashto and Persian by the selectors of the solar calendar, to which the browser converts it.
func (g *guest) date(name, value string) {
	g.t.Helper()
	if language, _, _ := strings.Cut(g.tongue.lang, "-"); language != "ps" && language != "fa" {
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
	g.sees("details", `form[action$="/guest"]`, g.tongue)
}

// introduce says who comes.
func (g *guest) introduce() {
	g.t.Helper()
	name := names[g.language]
	g.write("#firstName", name[0])
	g.write("#lastName", name[1])
	g.write("#email", "zarghona@example.com")
	g.write("#phone", "+93 70 012 3456")
	g.sees("filled", `form[action$="/guest"]`, g.tongue)
	g.press(`form[action$="/guest"] button`)
	g.sees("payment", `form[action$="/payment"]`, g.tongue)
}

// pay pays now at the bank, whose page is in the guest's language too, or promises to pay on arrival.
func (g *guest) pay() {
	g.t.Helper()
	method := map[string]string{"card": "card", "cash": "cash_on_arrival"}[g.method]
	if played, ok := scenarios[g.method]; ok {
		method = played[0]
		g.play(played[1])
	}
	g.tick(`input[name="method"][value="` + method + `"]`)
	g.sees("method", `input[name="method"][value="`+method+`"]:checked`, g.tongue)
	g.press(`form[action$="/payment"] button`)
	g.play("")
	const yes = `button[name="action"][value="pay"]`
	if method != "mfs" && method != "cash_on_arrival" {
		g.sees("checkout", yes, g.tongue) // the bank's page, or for 3-D Secure the hotel's
		g.press(yes)
	}
	switch g.method {
	case "phone":
		g.waits("pay")
	case "bank":
		g.waits("capture")
	}
}

// waits checks the waiting page, acts for the phone or the bank, and waits until the page reloads itself and shows the outcome.
func (g *guest) waits(action string) {
	g.t.Helper()
	const link = `a[target="_blank"]`
	g.does("see the waiting page", chromedp.WaitVisible(chromedp.CSS(link)))
	g.judge("waiting", g.width, g.tongue)
	provider, err := url.Parse(ask(g, chromedp.Evaluate[string](`document.querySelector('`+link+`').href`)))
	if err != nil {
		g.t.Fatal(err)
	}
	g.stage.Must(http.StatusSeeOther, system.Request{Method: http.MethodPost, Path: provider.Path, Body: "action=" + action})
	g.does("see the outcome without a button", chromedp.WaitVisible(chromedp.CSS("strong.code")))
}

// booked reads the confirmation, and asks the reservation service whether it is true.
func (g *guest) booked() {
	g.t.Helper()
	g.sees("confirmation", "strong.code", g.tongue)
	code := strings.TrimSpace(g.text("strong.code"))
	at, err := url.Parse(g.address())
	if err != nil {
		g.t.Fatal(err)
	}
	var reservation struct{ State, ReservationCode string }
	g.stage.Must(http.StatusOK, system.Request{Method: http.MethodGet, Path: "/api/v1/reservations/" + path.Base(at.Path),
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
