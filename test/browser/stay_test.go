package browser

import (
	"fmt"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/storage"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"melmastoon.ghasi.io/functions/demo/sandbox/demo"
	"melmastoon.ghasi.io/test/seedrand"
	"melmastoon.ghasi.io/test/system"
)

// The parts of the pages of a booked stay.
const (
	changesLink   = `a[href*="/changes"]`
	cancelLink    = `a[href*="/cancellation"]`
	datesForm     = `form:has([name^="checkOut"]):not(:has([name="total"]))`
	acceptForm    = `form:has([name="total"])`
	guestForm     = `form:has(input[name="form"][value="guest"])`
	cancelForm    = `form[action$="/cancellation"]`
	successNotice = `.good[role="status"]`
)

// TestStay_browser goes through every page of a hotel's site, from the search to the cancellation, in English and Pashto, and in a full run
// in all languages. On each page axe-core must find no violation at three widths, and the compressed page must be small.
func TestStay_browser(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it starts a browser per language")
	}
	source := axe(t)
	s := system.Open(t)
	enableAllLanguages(s)
	for _, j := range languages {
		if j.language != "en" && j.language != "ps" && !seedrand.Full(t) {
			continue
		}
		t.Run(j.language, func(t *testing.T) { // not parallel: one browser uses all CPUs of a small machine
			j.method, j.width, j.scripts = "stay", narrow, true // axe-core needs scripts; the pages have none
			visit := examinedVisit{openBrowser(t, s, j), source}
			visit.book()
			visit.press(changesLink)
			visit.sees("changes", datesForm)
			visit.date("checkOut", visit.day(17))
			visit.press(datesForm + " button")
			visit.sees("offer", acceptForm+" button")
			visit.press(acceptForm + " button")
			visit.sees("changed", successNotice)
			visit.press(changesLink)
			visit.typeText("#request", "A quiet room")
			visit.press(`form:has(#request) button`)
			visit.sees("asked", successNotice)
			visit.press(changesLink)
			visit.name("+93") // too short for a telephone number
			visit.press(guestForm + " button")
			visit.sees("rejected", "#phone[aria-invalid]")
			visit.clear("#phone")
			visit.typeText("#phone", "+93 70 012 3456")
			visit.press(guestForm + " button")
			visit.sees("corrected", successNotice)
			visit.press(cancelLink)
			visit.sees("cancellation", cancelForm)
			visit.press(cancelForm + " button")
			visit.sees("cancelled", successNotice)
		})
	}
	s.Settle()
}

// TestStay_balance books by card, makes the stay longer and pays the difference. Payments are declined at first, and the guest returns in
// another browser. On each page axe-core must find no violation. In English the guest pays with the keyboard alone on the hotel's site, in
// other languages on the phone.
func TestStay_balance(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it starts a browser per language")
	}
	source := axe(t)
	s := system.Open(t)
	enableAllLanguages(s)
	const yes, no, form = `button[name="action"][value="pay"]`, `button[name="action"][value="decline"]`, `form[action$="/payment"]`
	for _, j := range languages {
		if j.language != "en" && j.language != "ps" && !seedrand.Full(t) {
			continue
		}
		t.Run(j.language, func(t *testing.T) {
			j.method, j.width, j.scripts = "balance", narrow, true
			visit := examinedVisit{openBrowser(t, s, j), source}
			visit.bookBy("card")
			session := visit.removeCookies()
			visit.press(no)
			visit.sees("declined elsewhere", lookAgain)
			if !visit.shows(alert) {
				t.Errorf("at %s another browser does not show the decline", visit.address())
			}
			visit.setCookies(session)
			visit.press(lookAgain)
			visit.sees("not paid yet", lookAgain)
			visit.press(`main p > a:not(.button):not([target]):not([href^="tel:"])`)
			visit.tick(`input[value="card"]`)
			visit.press(form + " button")
			visit.press(yes)
			visit.sees("paid", "strong.code")
			visit.press(changesLink)
			visit.date("checkOut", visit.day(17))
			visit.press(datesForm + " button")
			visit.press(acceptForm + " button")
			visit.sees("due", form)
			if j.language == "en" {
				visit.press(form + " button")
				visit.removeCookies()
				visit.press(no)
				visit.sees("declined", alert)
				visit.enter(form+" button", yes)
				visit.press(yes)
			} else {
				visit.tick(`input[value="mfs"]`)
				visit.press(form + " button")
				visit.sees("waiting", lookAgain)
				visit.expectPending("pay")
			}
			visit.sees("nothing due", successNotice)
			if visit.shows(form) {
				t.Errorf("at %s a paid booking can be paid", visit.address())
			}
		})
	}
	s.Settle()
}

// removeCookies removes the cookies of the browser, which is then like another one without the guest's session. It returns them.
func (g *guest) removeCookies() []*network.Cookie {
	g.t.Helper()
	found, err := chromedp.Call(g.ctx, storage.GetCookies, storage.GetCookiesParams{})
	if err != nil {
		g.fail("read the cookies", err)
	}
	if _, err := chromedp.Call(g.ctx, storage.ClearCookies, storage.ClearCookiesParams{}); err != nil {
		g.fail("remove the cookies", err)
	}
	return found.Cookies
}

// setCookies sets the cookies that removeCookies returned.
func (g *guest) setCookies(all []*network.Cookie) {
	g.t.Helper()
	var in storage.SetCookiesParams
	for _, c := range all {
		in.Cookies = append(in.Cookies, &network.CookieParam{Name: c.Name, Value: c.Value, Domain: c.Domain, Path: c.Path, HTTPOnly: c.HTTPOnly})
	}
	if _, err := chromedp.Call(g.ctx, storage.SetCookies, in); err != nil {
		g.fail("set the cookies", err)
	}
}

// day returns the date in that many days.
func (g *guest) day(days int) string {
	return g.system.Env().Now().AddDate(0, 0, days).Format(time.DateOnly)
}

// book books a room in two weeks, in cash.
func (v examinedVisit) book() {
	v.t.Helper()
	v.bookBy("cash_on_arrival")
	v.sees("confirmation", "strong.code")
}

// bookBy books a room in two weeks, up to the payment by that method.
func (v examinedVisit) bookBy(method string) {
	v.t.Helper()
	v.open("/site/" + demo.KabulGrand.Slug)
	v.sees("search", "form.search")
	v.date("checkIn", v.day(14))
	v.date("checkOut", v.day(16))
	v.press("form.search button")
	v.sees("rooms", "article.room")
	v.press(`form[action$="/choices"] button`)
	v.sees("details", `form[action$="/guest"]`)
	v.name("+93 70 012 3456")
	v.press(`form[action$="/guest"] button`)
	v.sees("payment", `form[action$="/payment"]`)
	v.tick(`input[value="` + method + `"]`)
	v.press(`form[action$="/payment"] button`)
}

// clear empties a field that the page has filled in.
func (v examinedVisit) clear(field string) {
	v.t.Helper()
	ask(v.guest, chromedp.Evaluate[bool](fmt.Sprintf(`document.querySelector(%q).value = "", true`, field)))
}

// name types the guest's details into the empty form of the page.
func (v examinedVisit) name(phone string) {
	v.t.Helper()
	for field, text := range map[string]string{"#firstName": names[v.language][0], "#lastName": names[v.language][1], "#email": "zarghona@example.com", "#phone": phone} {
		v.typeText(field, text)
	}
}

// TestStay_keyboard books, asks for something, corrects the guest's details and cancels with the keyboard alone, without scripts on the
// pages. The element that has the focus must show it.
func TestStay_keyboard(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it starts a browser")
	}
	s := system.Open(t)
	g := openBrowser(t, s, journey{language: "en", method: "keyboard", expected: english, asks: "en", width: wide, scripts: true})
	g.open("/site/" + demo.KabulGrand.Slug)
	g.enter("form.search button", "article.room")
	g.enter(`form[action$="/choices"] button`, "#firstName")
	g.nameByKeyboard()
	g.enter(`form[action$="/guest"] button`, `form[action$="/payment"]`)
	g.focus(`input[name="method"]`)
	for range 5 {
		if g.shows(`input[value="cash_on_arrival"]:checked`) {
			break
		}
		g.do("choose the next method", chromedp.KeyEvent(kb.ArrowDown))
	}
	g.enter(`form[action$="/payment"] button`, "strong.code")
	g.enter(changesLink, "#request")
	g.focus("#request")
	g.do("type a request", chromedp.KeyEvent("A quiet room"))
	g.enter("form:has(#request) button", successNotice)
	g.enter(changesLink, guestForm)
	g.nameByKeyboard()
	g.enter(guestForm+" button", successNotice)
	g.enter(cancelLink, cancelForm)
	g.enter(cancelForm+" button", successNotice)
	s.Settle()
}

// nameByKeyboard types the guest's details into the form of the page.
func (g *guest) nameByKeyboard() {
	g.t.Helper()
	for _, field := range [][2]string{{"#firstName", "Zarghona"}, {"#lastName", "Ahmadzai"}, {"#email", "zarghona@example.com"}, {"#phone", "+93700123456"}} {
		g.focus(field[0])
		g.do("type into "+field[0], chromedp.KeyEvent(field[1]))
	}
}

// focus presses the tabulator until an element has the focus, and checks that the focus is visible.
func (g *guest) focus(selector string) {
	g.t.Helper()
	const steps = 80
	for range steps {
		g.do("press the tabulator", chromedp.KeyEvent(kb.Tab))
		if !ask(g, chromedp.Evaluate[bool](fmt.Sprintf("document.activeElement.matches(%q)", selector))) {
			continue
		}
		if !ask(g, chromedp.Evaluate[bool](`(s => s.outlineStyle !== "none" && parseFloat(s.outlineWidth) > 0 || s.boxShadow !== "none")(getComputedStyle(document.activeElement))`)) {
			g.t.Errorf("%s does not show that it has the focus", selector)
		}
		return
	}
	g.t.Fatalf("the tabulator does not reach %s in %d steps", selector, steps)
}

// enter presses Enter on an element, and waits for a part of the next page.
func (g *guest) enter(selector, next string) {
	g.t.Helper()
	g.focus(selector)
	g.follow("press Enter on "+selector, chromedp.KeyEvent(kb.Enter)) // the page before may have an alert, for which waitFor would stop
	g.pressed = selector
	g.waitFor(next)
}

// TestStay_windows uses a booking in two windows of one browser on a slow line, goes back and reloads. Each window shows the booking as it
// is, and nothing happens twice.
func TestStay_windows(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it starts a browser")
	}
	s := system.Open(t)
	g := openBrowser(t, s, journey{language: "en", method: "windows", expected: english, asks: "en", width: wide})
	var slow struct {
		network.EmulateNetworkConditionsByRuleParams
		Offline bool `json:"offline"` // Chromium 148 requires it, later versions ignore it
	}
	slow.MatchedNetworkConditions = []*network.Conditions{{Latency: 300, DownloadThroughput: 30_000, UploadThroughput: 15_000}} // bytes per second
	emulate := cdp.Command[any, network.EmulateNetworkConditionsByRuleResult]{Method: network.CommandEmulateNetworkConditionsByRule}
	if _, err := chromedp.Call(g.ctx, emulate, any(slow)); err != nil {
		t.Fatal(err)
	}
	g.open("/site/" + demo.KabulGrand.Slug)
	g.date("checkIn", g.day(14)) // so early a guest may change dates
	g.date("checkOut", g.day(16))
	g.press("form.search button")
	g.press(`form[action$="/choices"] button`)
	g.setGuestDetails()
	g.tick(`input[value="cash_on_arrival"]`)
	g.press(`form[action$="/payment"] button`)
	g.waitFor("strong.code")
	code := g.text("strong.code")
	g.do("reload the confirmation", chromedp.Reload())
	g.do("go back to the payment", chromedp.NavigateBack())
	g.do("reload the page of the booking", chromedp.Reload())
	g.waitFor("strong.code")
	if again := g.text("strong.code"); again != code {
		t.Errorf("after going back the code is %s, want %s", again, code)
	}
	g.press(changesLink)
	g.date("checkOut", g.day(17))
	g.press(datesForm + " button")
	g.waitFor(acceptForm + " button")
	second, closeWindow := chromedp.NewContext(g.ctx)
	defer closeWindow()
	if err := chromedp.Do(second); err != nil {
		t.Fatal(err)
	}
	other := &guest{journey: g.journey, t: t, system: s, ctx: second, errors: &browserErrors{}, folder: g.folder}
	other.open(ask(g, chromedp.Evaluate[string]("location.pathname + location.search")))
	other.press(acceptForm + " button")
	other.waitFor(successNotice)
	g.press(acceptForm + " button") // the dates are those of the booking by now
	g.waitFor(successNotice)
	g.press(cancelLink)
	other.press(changesLink)
	g.press(cancelForm + " button")
	g.waitFor(successNotice)
	other.date("checkOut", g.day(18))
	other.press(datesForm + " button")
	other.waitFor("strong.code")
	if other.shows(acceptForm) || other.shows(cancelLink) {
		t.Errorf("at %s the second window offers changes of a cancelled booking", other.address())
	}
	s.Settle()
}
