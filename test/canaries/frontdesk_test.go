package canaries

import (
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"testing"

	"melmastoon.ghasi.io/functions/demo/sandbox/demo"
	"melmastoon.ghasi.io/test/system"
)

const deskSite = "/desk"

// frontDeskJourney types into the forms of the desk's pages, as staff of a hotel.
func frontDeskJourney(t *testing.T, s *system.System, a *canarySet, w *scanner, all map[string]bool) {
	t.Helper()
	p := &visitor{Visitor: s.Browser().AtAll(), t: t, canaries: a, scanner: w, typed: all}
	p.Base = s.Cloud.URL() + deskSite
	typed := func(route, source string, names ...string) url.Values {
		values := url.Values{}
		for _, name := range names {
			values.Set(name, p.text(route+" "+source+" "+name))
		}
		return values
	}
	look := func(route, path string, names ...string) {
		p.send("GET", route, path+"?"+typed("GET "+route, "query", names...).Encode(), nil)
	}
	write := func(route, path string, fixed url.Values, names ...string) {
		form := typed("POST "+route, "form", names...)
		maps.Copy(form, fixed)
		p.send("POST", route, path, form.Encode())
	}
	const session = deskSite + "/session"
	write(session, "/session", nil, "role", "leave", "locale", "back")
	write(session, "/session", nil, "locale", "back")
	login := url.Values{"hotel": {demo.KabulGrand.Property.String()}, "role": {"manager"}}
	p.must(http.StatusSeeOther, "POST", session, "/session", login.Encode())
	look(deskSite, "", "q", "notice", "problem")
	p.send("GET", deskSite, "?q="+url.QueryEscape(a.name("GET "+deskSite+" query q")), nil)
	const one, path = deskSite + "/reservations/{reservationId}", "/reservations/rsv_01J00000000000000000000000"
	look(one, path, "plan", "checkIn", "checkOut", "checkOutDay", "checkOutMonth", "checkOutYear", "notice", "problem", "due")
	rooms := []string{"once"}
	for n := range 20 {
		rooms = append(rooms, fmt.Sprintf("room%d", n+1))
	}
	write(one+"/check-in", path+"/check-in", nil, rooms...)
	write(one+"/cash", path+"/cash", nil, "amount", "paid")
	write(one+"/check-out", path+"/check-out", nil, "once", "force", "reason")
	write(one+"/end", path+"/end", url.Values{"penalty": {"0"}}, "once", "plan")
	write(one+"/stay", path+"/stay", nil, "once", "room")
	write(one+"/stay", path+"/stay", url.Values{"item": {"rit_01J00000000000000000000000"}}, "once", "nightly", "reason")
	const walkIn = deskSite + "/walk-in"
	fields := []string{"once", "room", "rate", "checkIn", "checkOut", "checkOutDay", "checkOutMonth", "checkOutYear", "adults", "children", "firstName", "lastName", "phone"}
	write(walkIn, "/walk-in", nil, fields...)
	write(walkIn, "/walk-in", url.Values{"checkIn": {"2027-03-01"}, "checkOut": {"2027-03-02"}, "checkOutDay": nil,
		"firstName": {a.name("POST " + walkIn + " form firstName")}, "phone": {a.phone("POST " + walkIn + " form phone")}}, fields...)
	p.send("GET", walkIn, "/walk-in", nil)
	p.send("GET", deskSite+"/rooms", "/rooms", nil)
	p.send("GET", one+"/receipt", path+"/receipt", nil)
}
