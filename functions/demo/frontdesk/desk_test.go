package frontdesk_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/testkit/check"
)

var at = "/desk/reservations/" + stayed.String()

// Without a session every page leads to the login. With one, the token goes to the services, and ends with the shift.
func TestLogin(t *testing.T) {
	t.Parallel()
	e := env.Of(nil)
	d := newFakeServices(e)
	g := browse(t, e, d)
	for _, path := range []string{at, at + "/receipt", "/desk/walk-in"} {
		g.open(path).sees("Log in")
	}
	g.post(at+"/check-out", "once", "req_1").sees("Log in")
	if slices.Contains(d.asked, "POST check-out") {
		t.Error("a form without a session reaches the reservation service")
	}
	g.logIn("manager").sees("Arrivals", "Needs attention", "Unpaid", "Zarghona Ahmadzai", "GM-7K2QX9", "AFN 5,000 to pay", "Log out (Manager)")
	if !d.tokens["Bearer "+g.cookies["staff"]] {
		t.Error("the services did not get the token")
	}
	d.refuses["GET reservation"] = `401 {"code":"MELMASTOON.GENERAL.UNAUTHENTICATED"}`
	g.open(at).sees("Your session has ended", "Log in")
	delete(d.refuses, "GET reservation")
	g.post("/desk/session", "leave", "on").sees("You have logged out", "Log in")
	if g.cookies["staff"] != "" {
		t.Error("the cookie is still there")
	}
	g.logIn("owner").sees("Log out (Clerk)")
	e.Advance(9 * time.Hour)
	g.open(at).sees("Log in")
}

// A request that the sandbox refuses, such as one with an unknown scenario, is the visitor's fault, not an outage.
func TestLogin_refusedRequest(t *testing.T) {
	t.Parallel()
	for refusal, want := range map[string]int{
		`400 {"code":"MELMASTOON.GENERAL.VALIDATION_FAILED","violations":[{"pointer":"/X-Sandbox-Scenario","rule":"known","message":"x"}]}`: http.StatusBadRequest,
		`503 {"code":"MELMASTOON.GENERAL.UNAVAILABLE"}`: http.StatusServiceUnavailable,
	} {
		e := env.Of(nil) // the clients of an environment are shared
		d := newFakeServices(e)
		d.refuses["POST searches"] = refusal
		g := browse(t, e, d)
		check.Equal(t, g.front.Get("/desk", g.headers()...).Status, want, "after %s", refusal)
	}
}

func TestLogin_garbledCookie(t *testing.T) {
	t.Parallel()
	e := env.Of(nil)
	g := browse(t, e, newFakeServices(e))
	for _, token := range []string{"x", "a.b.c", "e30.e30.c2ln", "e30.!!.c2ln"} {
		g.cookies["staff"] = token
		g.open(at).sees("Log in")
	}
}

func TestRefusals_asSentences(t *testing.T) {
	t.Parallel()
	today := env.Of(nil).Now().In(kabul).Format("2 January 2006")
	for _, test := range []struct {
		name, state, act, refusal, path string
		fields                          []string
		sees                            string
	}{
		{"too early", "confirmed", "POST check-in", `409 {"code":"MELMASTOON.RESERVATION.BEFORE_ARRIVAL"}`, "/check-in", []string{"room1", item.String() + "." + room.String()}, "The stay begins on " + today},
		{"a taken room", "confirmed", "POST check-in", `409 {"code":"MELMASTOON.RESERVATION.ROOM_UNAVAILABLE"}`, "/check-in", []string{"room1", item.String() + "." + room.String()}, "This room cannot be given"},
		{"no room", "confirmed", "", "", "/check-in", []string{"room1", ""}, "Please choose at least one room"},
		{"not an item", "confirmed", "", "", "/check-in", []string{"room1", "x.y"}, "Something in the form is not possible"},
		{"another state", "cancelled", "POST check-in", `409 {"code":"MELMASTOON.RESERVATION.ILLEGAL_TRANSITION"}`, "/check-in", []string{"room1", item.String() + "." + room.String()}, "does not allow that: Cancelled"},
		{"unpaid", "checked_in", "POST check-out", `409 {"code":"MELMASTOON.RESERVATION.BALANCE_DUE","dueMicro":"5000000000"}`, "/check-out", nil, "The guest still has to pay AFN 5,000."},
		{"a clerk who forces", "checked_in", "POST check-out", `403 {"code":"MELMASTOON.GENERAL.FORBIDDEN"}`, "/check-out", []string{"force", "on", "reason", "x"}, "Only a manager"},
		{"a dearer cancellation", "confirmed", "POST cancel", `409 {"code":"MELMASTOON.RESERVATION.PENALTY_CHANGED"}`, "/end", []string{"plan", "guest_cancelled", "penalty", "0"}, "costs more than was shown"},
		{"an unknown end", "confirmed", "", "", "/end", []string{"plan", "merged_into", "penalty", "0"}, "Something in the form is not possible"},
		{"another version", "confirmed", "", "", "/stay", []string{"checkIn", "2027-03-01", "checkOut", "2027-03-02", "version", "3"}, "has changed meanwhile"},
		{"a service that is down", "checked_in", "PATCH reservation", `503 {}`, "/stay", []string{"room", item.String() + "." + room.String()}, "does not answer"},
		{"something unheard of", "confirmed", "POST no-show", `409 {"code":"MELMASTOON.NEVER.HEARD"}`, "/end", []string{"plan", "no_show", "penalty", "0", "version", "4"}, "That did not work"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			e := env.Of(nil) // the clients of an environment are shared
			d := newFakeServices(e)
			d.state = test.state
			if test.act != "" {
				d.refuses[test.act] = test.refusal
			}
			g := browse(t, e, d).logIn("front_desk")
			g.post(at+test.path, append([]string{"once", "req_1"}, test.fields...)...).sees(`role="alert"`, test.sees)
		})
	}
}

// Anyone can log in to the demonstration: telephone numbers and e-mail addresses are masked, and no form repeats a search.
func TestMasked(t *testing.T) {
	t.Parallel()
	e := env.Of(nil)
	g := browse(t, e, newFakeServices(e)).logIn("front_desk").open(at).sees("…456", "…@example.com").lacks("700123", "zarghona@")
	g.open("/desk?q=zarghona").sees(`name="back" value="/desk"`)
}

// The page shows what a change costs before its form, and the form carries what was shown.
func TestPlan_figures(t *testing.T) {
	t.Parallel()
	e := env.Of(nil)
	d := newFakeServices(e)
	g := browse(t, e, d).logIn("manager")
	for _, test := range []struct {
		query string
		sees  []string
	}{
		{"?plan=guest_cancelled", []string{"Cancellation for the guest", "AFN 2,500", "AFN 100", `name="penalty" value="2500000000"`}},
		{"?plan=staff_cancelled", []string{"Cancellation for the hotel"}},
		{"?plan=no_show", []string{"Record the no-show", `name="version" value="4"`}},
		{"?plan=dates&checkIn=2027-03-01&checkOut=2027-03-04", []string{"−AFN 1,000", "nights: 3", `name="version" value="4"`}},
		{"?plan=dates&checkIn=2027-03-01&checkOut=x", []string{"Something in the form"}},
		{"?plan=dates&checkIn=2027-03-01&checkOutDay=31&checkOutMonth=12&checkOutYear=1405", []string{"The calendar does not have this day"}},
		{"?plan=nothing", []string{"Something in the form"}},
	} {
		g.open(at + test.query).sees(test.sees...)
	}
	for act, sent := range d.bodies {
		if slices.Contains([]string{"POST cancel", "POST no-show", "POST dates"}, act) && sent["dryRun"] != true {
			t.Errorf("%s is not a dry run: %v", act, sent)
		}
	}
	missed := []string{"once", "req_1", "plan", "no_show", "penalty", "0", "version", "3"}
	g.post(at+"/end", missed...).sees("has changed meanwhile", "Record the no-show", `name="version" value="4"`)
	missed[7] = "4"
	g.post(at+"/end", missed...).sees("It is recorded")
}

// A manager changes the price of a night of the version that the page showed; a clerk sees no form for it.
func TestRate(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, nightly, version, sees string
		sent                         any
	}{
		{"a price in Eastern digits", "۴۵۰۰", "4", "The price is changed", "4500000000"},
		{"more than is due", "9,000.50", "4", "The price is changed", "9000500000"},
		{"nothing", "0", "4", "Please write a price above zero", nil},
		{"a word", "free", "4", "Please write a price above zero", nil},
		{"another version", "4500", "3", "has changed meanwhile", "4500000000"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			e := env.Of(nil) // the clients of an environment are shared
			d := newFakeServices(e)
			g := browse(t, e, d).logIn("manager").open(at).sees(`name="nightly"`)
			g.post(at+"/stay", "once", "req_1", "version", test.version, "item", item.String(), "nightly", test.nightly, "reason", "A regular guest").sees(test.sees)
			sent := d.bodies["PATCH reservation"]
			check.Equal(t, sent["nightlyRateMicro"], test.sent)
			if test.sent != nil && (sent["type"] != "rate_change" || sent["itemId"] != item.String() || sent["reason"] != "A regular guest") {
				t.Errorf("sent %v", sent)
			}
		})
	}
	e := env.Of(nil)
	browse(t, e, newFakeServices(e)).logIn("front_desk").open(at).lacks("nightly")
}

// A refused walk-in is shown again with what was typed. No address contains a name.
func TestWalkIn(t *testing.T) {
	t.Parallel()
	e := env.Of(nil)
	d := newFakeServices(e)
	g := browse(t, e, d).logIn("front_desk").open("/desk/walk-in").sees("101, Double").lacks("102, Double", "email")
	form := []string{"once", "req_1", "room", room.String(), "rate", "flexible", "checkIn", "2027-03-01", "checkOut", "2027-03-02", "adults", "۲", "children", "0",
		"firstName", `Z"><b>`, "phone", "0700 123 456"}
	d.refuses["POST walk-ins"] = `400 {"code":"MELMASTOON.GENERAL.VALIDATION_FAILED","violations":[{"pointer":"/guest/firstName","rule":"form","message":"x"}]}`
	a := g.front.Post("/desk/walk-in", encode(form), g.headers()...)
	if a.Status != http.StatusOK || strings.Contains(string(a.Body), "<b>") {
		t.Errorf("status %d, want 200 with what was typed, escaped: %s", a.Status, a.Body)
	}
	g.follow(a, "/desk/walk-in").sees("Please write a name.", `Z"><b>`, `aria-describedby="wrong-firstName"`)
	delete(d.refuses, "POST walk-ins")
	g.post("/desk/walk-in", form...).sees("The guest is booked")
	sent := d.bodies["POST walk-ins"]
	if guest, _ := sent["guest"].(body); guest["phone"] != "+93700123456" || sent["currency"] != "AFN" || guest["email"] != nil {
		t.Errorf("sent %v", sent)
	}
	form[3] = broken.String() + "x"
	g.post("/desk/walk-in", form...).sees("Please choose at least one room")
}

// A walk-in that may have been booked is repeated with the same key and the same room, although the guest may have it. After a definite
// refusal the key is new.
func TestWalkIn_key(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, refusal string
		keeps         bool
		sees          string
	}{
		{"no answer", "000 ", true, "does not answer"},
		{"unavailable", `503 {"code":"MELMASTOON.GENERAL.UNAVAILABLE"}`, true, "did not work"},
		{"too many requests", `429 {"code":"MELMASTOON.GENERAL.RATE_LIMITED"}`, true, "did not work"},
		{"invalid", `400 {"code":"MELMASTOON.GENERAL.VALIDATION_FAILED"}`, false, "Something in the form"},
		{"no room", `409 {"code":"MELMASTOON.RESERVATION.OVERBOOKING_BLOCKED"}`, false, "No room of this type"},
		{"the key of another guest", `422 {"code":"MELMASTOON.GENERAL.IDEMPOTENCY_KEY_REUSED"}`, false, "An earlier attempt"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			e := env.Of(nil) // the clients of an environment are shared
			d := newFakeServices(e)
			g := browse(t, e, d).logIn("front_desk")
			if d.refuses["POST walk-ins"] = test.refusal; test.keeps {
				d.state = "checked_in" // with the room
			}
			g.post("/desk/walk-in", "once", "req_1", "room", room.String(), "rate", "flexible", "checkIn", "2027-03-01", "checkOut", "2027-03-02",
				"adults", "1", "children", "0", "firstName", "Palwasha").sees(test.sees, `name="once"`, room.String()+`" selected`)
			if got := strings.Contains(g.page, `name="once" value="req_1"`); got != test.keeps {
				t.Errorf("the form keeps its key: %t, want %t", got, test.keeps)
			}
		})
	}
}

func encode(fields []string) string {
	var all []string
	for i := 0; i+1 < len(fields); i += 2 {
		all = append(all, fields[i]+"="+strings.NewReplacer("%", "%25", "&", "%26", "+", "%2B", `"`, "%22", ">", "%3E", "<", "%3C", " ", "+", "۲", "%DB%B2").Replace(fields[i+1]))
	}
	return strings.Join(all, "&")
}

// Guests who come later are checked in later, or are a no-show. Only the rooms that are chosen are sent.
func TestCheckIn_items(t *testing.T) {
	t.Parallel()
	e := env.Of(nil)
	d := newFakeServices(e)
	d.party = 2
	g := browse(t, e, d).logIn("front_desk").open(at).sees(`name="room1"`, `name="room2"`, "Not now")
	g.post(at+"/check-in", "once", "req_1", "room1", "", "room2", item.String()+"."+room.String()).sees("is checked in")
	if rooms, _ := d.bodies["POST check-in"]["rooms"].([]any); len(rooms) != 1 {
		t.Errorf("sent %v, want one room", d.bodies["POST check-in"])
	}
	d.state = "checked_in"
	g.open(at).sees(`name="room2"`, "Record a no-show").lacks(`name="room1"`, "Cancel for the guest")
	d.party = 1
	g.open(at).lacks(`name="room2"`, "Record a no-show")
}

// A room that is assigned in advance is suggested to its guests, who are still expected. Guests of further rooms can check in while keys are
// made, and the page counts those keys.
func TestCheckIn_expected(t *testing.T) {
	t.Parallel()
	suggested := `value="` + item.String() + "." + room.String() + `" selected`
	for _, test := range []struct {
		state   string
		arrived int
		early   bool
		sees    []string
		lacks   []string
	}{
		{"confirmed", 0, true, []string{suggested, "Cancel for the guest"}, nil},
		{"checked_in", 0, true, []string{suggested, "Record a no-show"}, []string{"Another room"}},
		{"check_in_started", 2, false, []string{`name="room3"`, "Issued: 1 · Being made: 1"}, []string{`name="room1"`, `name="room2"`, "Record a no-show"}},
	} {
		t.Run(test.state, func(t *testing.T) {
			t.Parallel()
			e := env.Of(nil) // the clients of an environment are shared
			d := newFakeServices(e)
			d.state, d.arrived, d.early, d.party, d.step, d.keys = test.state, test.arrived, test.early, 3, "await_keys", 1
			browse(t, e, d).logIn("front_desk").open(at).sees(test.sees...).lacks(test.lacks...)
		})
	}
}

// A booked room counts for its type until the check-in. What inventory does not sell and no booking has is held.
func TestRack(t *testing.T) {
	t.Parallel()
	row := func(name string, cells ...string) string {
		return `<th scope="row">` + name + "</th>" + strings.Join(cells, "")
	}
	number := func(n string) string { return "<td>" + n + "</td>" }
	const out, free = `<td class="out">X</td>`, `<td class="free">–</td>`
	inHouse := `<td class="inHouse"><a href="` + at + `">H</a></td>`
	for _, test := range []struct {
		name, state    string
		party, arrived int
		want           []string
	}{
		{"booked", "confirmed", 1, 0, []string{row("Booked", number("1"), number("1"), number("0")), row("Held", number("0"), number("0"), number("1")), row("101", free, free, free), row("102", out, out, out)}},
		{"in house", "checked_in", 1, 1, []string{row("101", inHouse, inHouse, free), row("Free", number("0"), number("0")), row("Booked", number("0")), "in house", "Out of order"}},
		{"in house in part", "checked_in", 2, 1, []string{row("101", inHouse, inHouse, free), row("Booked", number("1"), number("1"), number("0"))}},
		{"assigned in advance", "checked_in", 2, 0, []string{row("Booked", number("2"), number("2"), number("0"))}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			e := env.Of(nil) // the clients of an environment are shared
			d := newFakeServices(e)
			d.state, d.party, d.arrived = test.state, test.party, test.arrived
			g := browse(t, e, d).logIn("front_desk").open("/desk/rooms")
			for _, part := range test.want {
				if !strings.Contains(strings.ToLower(g.page), strings.ToLower(part)) {
					t.Errorf("the rack does not show %q:\n%s", part, g.page)
				}
			}
			if got := strings.Contains(g.page, inHouse); got != (test.arrived > 0) {
				t.Errorf("a room is in house: %t, with %d arrived", got, test.arrived)
			}
		})
	}
}

// Each page is complete in each language of the site, and the language form leads back to the page only.
func TestLanguages(t *testing.T) {
	t.Parallel()
	for tag, sees := range map[string]string{"en": "Take cash", "fa-AF": "گرفتن پول نقد", "ps-AF": "نغدې پیسې اخیستل"} {
		t.Run(tag, func(t *testing.T) {
			t.Parallel()
			e := env.Of(nil) // the clients of an environment are shared
			d := newFakeServices(e)
			d.state = "checked_in"
			g := browse(t, e, d).logIn("manager")
			g.post("/desk/session", "locale", tag, "back", at).sees(`<html lang="`+tag+`"`, sees, "GM-7K2QX9")
			for _, path := range []string{"/desk", "/desk?q=zar", at, at + "?plan=guest_cancelled", at + "?plan=dates&checkIn=2027-03-01&checkOut=2027-03-04", at + "/receipt", "/desk/walk-in", "/desk/rooms"} {
				g.open(path).sees(`<html lang="`+tag+`"`).lacks("{0}", "%!", "problem.", "state.")
			}
			for _, back := range []string{"https://evil.example/", "//evil.example", "/deskx", "/desk\\evil"} {
				a := g.front.Post("/desk/session", encode([]string{"locale", tag, "back", back}), g.headers()...)
				if to := a.Header.Get("Location"); to != "/desk" {
					t.Errorf("back to %q leads to %q", back, to)
				}
			}
		})
	}
}

// A session without access to its hotel ends, and leads to the login.
func TestFailed_hotel(t *testing.T) {
	t.Parallel()
	for act, refusal := range map[string]string{"GET property": `404 {"code":"MELMASTOON.GENERAL.RESOURCE_NOT_FOUND"}`, "GET rooms": `403 {"code":"MELMASTOON.GENERAL.FORBIDDEN"}`} {
		t.Run(act, func(t *testing.T) {
			t.Parallel()
			e := env.Of(nil) // the clients of an environment are shared
			d := newFakeServices(e)
			g := browse(t, e, d).logIn("front_desk")
			d.refuses[act] = refusal
			if g.open("/desk").sees("no access to this hotel", "Log in"); g.cookies["staff"] != "" {
				t.Error("the cookie is still there")
			}
		})
	}
}

// A malformed address has a page for browsers.
func TestErrorPage(t *testing.T) {
	t.Parallel()
	e := env.Of(nil)
	d := newFakeServices(e)
	g := browse(t, e, d)
	a := g.front.Get("/desk/reservations/x", "Accept", "text/html")
	a.Want(t, http.StatusNotFound, "Content-Type", "text/html; charset=utf-8")
	a.WantText(t, "There is nothing here")
	g.logIn("front_desk")
	d.refuses["GET reservation"] = `404 {"code":"MELMASTOON.GENERAL.RESOURCE_NOT_FOUND"}`
	g.open(at + "?checkOut=Zarghona").sees("There is nothing here").lacks("Zarghona")
	d.refuses["GET rooms"] = `503 {}`
	g.open("/desk").sees("The service does not answer")
}
