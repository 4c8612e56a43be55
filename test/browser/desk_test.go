package browser

import (
	"net/http"
	"testing"

	"github.com/chromedp/chromedp"

	"melmastoon.ghasi.io/functions/demo/sandbox/demo"
	"melmastoon.ghasi.io/test/seedrand"
	"melmastoon.ghasi.io/test/system"
)

// TestDesk_browser is a day at the desk of a hotel, in English and Pashto, and in a full run in all languages of the site. A guest who pays
// in cash is found by name, arrives, cannot leave without paying, pays and leaves. A guest walks in, and another does not come. On each page
// axe-core must find no violation at three widths, and the compressed page must be small.
func TestDesk_browser(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it starts a browser per language")
	}
	source := axe(t)
	s := system.Open(t)
	hotel := demo.KabulGrand
	book := func() string {
		v := s.Visit(hotel).Book(system.Wish{Hotel: hotel, Nights: 1, Rooms: 1, Currency: "AFN"}, "cash_on_arrival")
		v.Must(http.StatusOK, http.MethodPost, v.Draft("/confirm"), nil)
		return "/desk/reservations/" + v.ReservationID
	}
	const notice = `.good[role="status"]`
	for _, j := range languages[:3] {
		if j.language != "en" && j.language != "ps" && !seedrand.Full(t) {
			continue
		}
		t.Run(j.language, func(t *testing.T) { // not parallel: one browser uses all CPUs of a small machine
			arriving, missing := book(), book()
			s.Settle()
			j.method, j.width, j.scripts = "desk", narrow, true // axe-core needs scripts; the pages have none
			visit := examinedVisit{openBrowser(t, s, j), source}
			visit.open("/desk")
			visit.sees("login", "#hotel")
			visit.fill("hotel", hotel.Property.String())
			visit.tick("#role-manager")
			visit.press("main form button")
			visit.sees("today", "#arrivals")
			visit.typeText("#q", "ahmadzai")
			visit.press(`form[role="search"] button`)
			visit.sees("found", "#found")
			visit.press(`a[href="` + arriving + `"]`)
			visit.sees("arriving", `form[action$="/check-in"]`)
			visit.press(`form[action$="/check-in"] button`)
			visit.waitFor(notice)
			s.Settle()
			visit.open(arriving)
			visit.sees("in house", `form[action$="/check-out"]`)
			visit.press(`form[action$="/check-out"] button`)
			visit.do("see the refusal", chromedp.WaitVisible(chromedp.CSS(alert)))
			visit.examine("refused")
			visit.press(`form[action$="/cash"] button`)
			visit.waitFor(notice)
			s.Settle()
			visit.open(arriving)
			if visit.shows(`form[action$="/cash"]`) {
				t.Errorf("at %s a paid stay takes cash", visit.address())
			}
			visit.press(`form[action$="/check-out"] button`)
			visit.sees("left", notice)
			visit.press(`a[href$="/receipt"]`)
			visit.sees("receipt", "tfoot")
			visit.press(`nav a[href$="/walk-in"]`)
			visit.sees("walk-in", `form[action$="/walk-in"]`)
			visit.typeText("#firstName", "Palwasha")
			visit.press(`form[action$="/walk-in"] button`)
			visit.sees("walked in", notice)
			visit.press(`nav a[href$="/rooms"]`)
			visit.sees("rack", "td.inHouse")
			visit.open(missing)
			visit.press(`form:has([value="no_show"]) button`)
			visit.sees("no-show", `form[action$="/end"]`)
			visit.press(`form[action$="/end"] button`)
			visit.sees("missed", notice)
			visit.press(`nav button`)
			visit.waitFor("#hotel")
		})
	}
	s.Settle()
}
