package journeys

import (
	"html"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"melmastoon.ghasi.io/functions/demo/sandbox/demo"
	"melmastoon.ghasi.io/test/system"
)

var (
	deskForms  = regexp.MustCompile(`(?s)<form[^>]*method="(\w+)" action="([^"]*)".*?</form>`)
	deskInput  = regexp.MustCompile(`<input[^>]*name="([^"]*)"[^>]*value="([^"]*)"`)
	deskSelect = regexp.MustCompile(`(?s)<select[^>]*name="([^"]*)".*?</select>`)
	deskOption = regexp.MustCompile(`<option value="([^"]*)"`)
	deskChosen = regexp.MustCompile(`<option value="([^"]*)" selected>`)
)

// A deskBrowser is the browser of a clerk on the pages of the desk.
type deskBrowser struct {
	*system.Visitor
	t    *testing.T
	page string
}

func openDeskPages(t *testing.T, s *system.System) *deskBrowser {
	t.Helper()
	d := &deskBrowser{Visitor: s.Browser().AtAll(), t: t}
	d.Base = s.Cloud.URL()
	return d
}

// open follows redirects to a page.
func (d *deskBrowser) open(path string) *deskBrowser {
	d.t.Helper()
	return d.follow(d.Send(http.MethodGet, path, nil))
}

func (d *deskBrowser) follow(a system.Answer) *deskBrowser {
	d.t.Helper()
	if a.Status == http.StatusSeeOther {
		return d.open(a.Header.Get("Location"))
	}
	if d.page = html.UnescapeString(string(a.Body)); a.Status != http.StatusOK {
		d.t.Fatalf("status = %d, want 200: %s", a.Status, d.page)
	}
	return d
}

// submit submits the form with that suffix of its action and that text, with what it contains, and with these fields.
func (d *deskBrowser) submit(action, text string, fields ...string) *deskBrowser {
	d.t.Helper()
	for _, form := range deskForms.FindAllStringSubmatch(d.page, -1) {
		if !strings.HasSuffix(form[2], action) || !strings.Contains(form[0], text) {
			continue
		}
		values := url.Values{}
		for _, field := range deskInput.FindAllStringSubmatch(form[0], -1) {
			values.Set(field[1], field[2])
		}
		for _, field := range deskSelect.FindAllStringSubmatch(form[0], -1) {
			chosen := deskChosen.FindStringSubmatch(field[0])
			if chosen == nil {
				chosen = deskOption.FindStringSubmatch(field[0])
			}
			values.Set(field[1], chosen[1])
		}
		for i := 0; i+1 < len(fields); i += 2 {
			values.Set(fields[i], fields[i+1])
		}
		if form[1] == "get" {
			return d.open(form[2] + "?" + values.Encode())
		}
		return d.follow(d.Send(http.MethodPost, form[2], values.Encode()))
	}
	d.t.Fatalf("no form %s with %q: %s", action, text, d.page)
	return d
}

func (d *deskBrowser) sees(parts ...string) *deskBrowser {
	d.t.Helper()
	for _, part := range parts {
		if !strings.Contains(d.page, part) {
			d.t.Errorf("the page does not show %q:\n%s", part, d.page)
		}
	}
	return d
}

// TestFrontDesk_day is a day at the desk of a hotel: a guest who has booked to pay in cash arrives, stays longer, moves, pays and leaves;
// one cancels; one does not come; and one walks in.
func TestFrontDesk_day(t *testing.T) {
	t.Parallel()
	s := system.Open(t)
	hotel := demo.KabulGrand
	book := func(nights int) string {
		v := s.Visit(hotel).Book(system.Wish{Hotel: hotel, Nights: nights, Rooms: 1, Currency: "AFN"}, "cash_on_arrival")
		v.Must(http.StatusOK, http.MethodPost, v.Draft("/confirm"), nil)
		return "/desk/reservations/" + v.ReservationID
	}
	zone, err := time.LoadLocation(hotel.TimeZone)
	if err != nil {
		t.Fatal(err)
	}
	day := func(n int) string { return s.Env().Now().In(zone).AddDate(0, 0, n).Format(time.DateOnly) }
	arriving, cancelling, missing := book(2), book(1), book(1)
	s.Settle()

	d := openDeskPages(t, s)
	d.open("/desk").sees("Log in", "Kabul Grand Hotel").submit("/session", "hotel", "hotel", hotel.Property.String(), "role", "front_desk")
	d.sees("Arrivals", "Zarghona Ahmadzai").submit("/desk", "search", "q", "ahmadzai").sees(arriving)
	d.open(arriving).sees("Booked", "Check-in").submit("/check-in", "Check in").sees("is checked in")
	s.Settle()
	d.open(arriving).sees("In house", "Issued: 1", "Take cash")
	d.submit("/check-out", "Check out").sees("The guest still has to pay AFN").lacks("Check out anyway")
	d.submit("", `value="dates"`, "checkOut", day(3)).sees("Difference", "nights: 3").submit("/stay", "Change the dates").sees("The dates are changed")
	s.Settle()
	d.open(arriving).submit("/stay", "Move").sees("The guest has another room")
	s.Settle()
	d.open(arriving).submit("/cash", "", "amount", "0").sees("Please write an amount")
	page := d.page
	d.submit("/cash", "").sees("The cash is taken")
	s.Settle()
	d.page = page
	d.submit("/cash", "").sees("AFN 0")
	d.submit("/check-out", "Check out").sees("The guest is checked out", "Left")
	d.open(cancelling).submit("", `value="guest_cancelled"`).sees("The hotel keeps").submit("/end", "").sees("It is recorded", "Cancelled")
	d.open(missing).submit("", `value="no_show"`).sees("Only a manager can do this now")
	d.submit("/session", "leave").sees("You have logged out").submit("/session", "hotel", "hotel", hotel.Property.String(), "role", "manager")
	d.open(missing).submit("/stay", "Change the price", "nightly", "4000", "reason", "A regular guest").sees("The price is changed")
	s.Settle()
	d.open(missing).submit("", `value="no_show"`).sees("The hotel keeps").submit("/end", "").sees("It is recorded", "Did not come")
	d.open("/desk/walk-in").submit("/walk-in", "", "firstName", "---").sees("Please write a name.")
	d.submit("/walk-in", "", "firstName", "Palwasha", "phone", "0700 123 457").sees("The guest is booked", "Palwasha", "…457", "Take cash")
	s.Settle()
	d.open("/desk").sees("Palwasha", "In house").open("/desk/rooms").sees("Rooms over fourteen nights", ">H</a>").open(arriving+"/receipt").sees("Receipt GM-", "Room 102")
	s.Settle()
}

// TestFrontDesk_night lets a guest arrive at half past four in the morning of the first day of the stay: the hotel has not begun that day.
func TestFrontDesk_night(t *testing.T) {
	t.Parallel()
	s := system.Open(t)
	hotel := demo.KabulGrand
	s.Advance(16*time.Hour + 30*time.Minute) // from noon
	v := s.Visit(hotel).Book(system.Wish{Hotel: hotel, Nights: 1, Rooms: 1, Currency: "AFN"}, "cash_on_arrival")
	v.Must(http.StatusOK, http.MethodPost, v.Draft("/confirm"), nil)
	s.Settle()
	d := openDeskPages(t, s)
	d.open("/desk").submit("/session", "hotel", "hotel", hotel.Property.String(), "role", "front_desk").sees("04:3").lacks("Zarghona")
	d.submit("/desk", "search", "q", "ahmadzai").open("/desk/reservations/" + v.ReservationID)
	d.submit("/check-in", "Check in").sees("The hotel begins a day some hours after midnight.")
	s.Advance(2 * time.Hour)
	d.open("/desk").sees("Arrivals", "Zarghona Ahmadzai").open("/desk/reservations/" + v.ReservationID)
	d.submit("/check-in", "Check in").sees("is checked in")
	s.Settle()
}

func (d *deskBrowser) lacks(text string) *deskBrowser {
	d.t.Helper()
	if strings.Contains(d.page, text) {
		d.t.Errorf("the page shows %q:\n%s", text, d.page)
	}
	return d
}
