package storefront_test

import (
	"cmp"
	"encoding/base64"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"melmastoon.ghasi.io/shared/platform/env"
)

// calendarFile returns the calendar file that a page links to. Its method is also a parameter of the media type.
func calendarFile(t *testing.T, page string) string {
	t.Helper()
	method, content, _ := strings.Cut(between(t, page, "data:text/calendar;charset=utf-8;method=", `"`), ";base64,")
	text, err := base64.StdEncoding.DecodeString(strings.ReplaceAll(content, "&#43;", "+"))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(text), "\r\nMETHOD:"+method+"\r\n") {
		t.Errorf("the media type has the method %s, the file is %s", method, text)
	}
	return string(text)
}

// contentLine is a content line of RFC 5545, section 3.1: a name, parameters, and a value.
var contentLine = regexp.MustCompile(`^([A-Z-]+)((?:;[A-Z-]+=(?:"[^"]*"|[^";:,]*))*):(.*)$`)

// badEscape is a backslash that begins no escape of a text, or a character that a text must escape (section 3.3.11).
var badEscape = regexp.MustCompile(`(?:^|[^\\])(?:\\\\)*(?:\\[^\\;,nN]|\\$|[;,])`)

// parseCalendar reads a calendar as RFC 5545 defines it, and returns the properties of the calendar and of its event. Names have their
// parameters, as in DTSTART;VALUE=DATE.
func parseCalendar(t *testing.T, text string) map[string]string {
	t.Helper()
	if !strings.HasSuffix(text, "\r\n") || strings.ContainsAny(strings.ReplaceAll(text, "\r\n", ""), "\r\n") {
		t.Errorf("the lines do not all end with CRLF: %q", text)
	}
	for line := range strings.SplitSeq(text, "\r\n") {
		if len(line) > 75 || !utf8.ValidString(line) {
			t.Errorf("the line %q has %d bytes, want at most 75, and no character in two lines", line, len(line))
		}
	}
	found, components := map[string]string{}, []string{}
	for line := range strings.SplitSeq(strings.TrimSuffix(strings.ReplaceAll(text, "\r\n ", ""), "\r\n"), "\r\n") {
		parts := contentLine.FindStringSubmatch(line)
		if parts == nil {
			t.Fatalf("%q is no content line", line)
		}
		name, value := parts[1]+parts[2], parts[3]
		switch _, repeated := found[name]; {
		case name == "BEGIN" || name == "END":
			components = append(components, name+" "+value)
			continue
		case repeated:
			t.Errorf("%s occurs twice", name)
		case slices.Contains([]string{"SUMMARY", "DESCRIPTION", "LOCATION"}, name):
			if badEscape.MatchString(value) {
				t.Errorf("%s is not escaped: %q", name, value)
			}
			value = strings.NewReplacer(`\\`, `\`, `\;`, ";", `\,`, ",", `\n`, "\n", `\N`, "\n").Replace(value)
		}
		found[name] = value
	}
	if want := []string{"BEGIN VCALENDAR", "BEGIN VEVENT", "END VEVENT", "END VCALENDAR"}; !slices.Equal(components, want) {
		t.Errorf("the components are %q, want %q", components, want)
	}
	return found
}

// organizer returns the address of the organizer, and the name in its parameter.
func organizer(calendar map[string]string) (address, name string) {
	for property, value := range calendar {
		if parameters, ok := strings.CutPrefix(property, "ORGANIZER;"); ok {
			address, name = value, strings.Trim(strings.TrimPrefix(parameters, "CN="), `"`)
		}
	}
	return address, name
}

// TestCalendar_sequence downloads the file again after each change of the booking. Each file replaces the one before.
func TestCalendar_sequence(t *testing.T) {
	t.Parallel()
	e := env.Of(nil)
	d := newFakeBooking(e)
	var address string
	for _, test := range []struct {
		name                     string
		change                   func()
		method, status, sequence string
		starts, link             string
	}{
		{"confirmed", func() {}, "PUBLISH", "CONFIRMED", "4", "20270321T093000Z", "Add to the calendar (.ics)"},
		{"downloaded_again", func() { e.Advance(time.Hour) }, "PUBLISH", "CONFIRMED", "4", "20270321T093000Z", "Add to the calendar (.ics)"},
		{"moved", func() { d.changes, d.moved = 1, body{"checkIn": "2027-03-25", "checkOut": "2027-03-27", "nights": 2} }, "PUBLISH", "CONFIRMED", "5", "20270325T093000Z", "Add to the calendar (.ics)"},
		{"checked_in", func() { d.changes, d.stay = 2, "checked_in" }, "PUBLISH", "CONFIRMED", "6", "20270325T093000Z", "Add to the calendar (.ics)"},
		{"no_show", func() { d.changes, d.stay = 3, "no_show" }, "CANCEL", "CANCELLED", "7", "20270325T093000Z", "Remove from the calendar (.ics)"},
		{"undone", func() { d.changes, d.stay = 4, "" }, "PUBLISH", "CONFIRMED", "8", "20270325T093000Z", "Add to the calendar (.ics)"},
		{"cancelled", func() { d.changes, d.stay = 5, "cancelled" }, "CANCEL", "CANCELLED", "9", "20270325T093000Z", "Remove from the calendar (.ics)"},
	} {
		t.Run(test.name, func(t *testing.T) {
			test.change()
			g := browse(t, e, d).open(home + "/confirmations/" + d.booked.String()).sees(test.link)
			got := parseCalendar(t, calendarFile(t, g.page))
			wants := func(property, want string) {
				t.Helper()
				if got[property] != want {
					t.Errorf("%s = %q, want %q", property, got[property], want)
				}
			}
			wants("METHOD", test.method)
			wants("STATUS", test.status)
			wants("SEQUENCE", test.sequence)
			wants("DTSTART", test.starts)
			wants("UID", d.booked.String()+"@melmastoon.ghasi.io")
			wants("VERSION", "2.0")
			if !regexp.MustCompile(`^\d{8}T\d{6}Z$`).MatchString(got["DTSTAMP"]) {
				t.Errorf("DTSTAMP = %q, want a time in UTC", got["DTSTAMP"])
			}
			by, name := organizer(got)
			if name != "Kabul Grand Hotel" || !regexp.MustCompile(`^urn:uuid:[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`).MatchString(by) {
				t.Errorf("the organizer is %q with the address %q, want the hotel with a UUID", name, by)
			}
			if address = cmp.Or(address, by); by != address {
				t.Errorf("the organizer's address became %q, was %q", by, address)
			}
		})
	}
}

// TestCalendar_names has hotels whose names need quotes, escapes and several lines.
func TestCalendar_names(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, brand, organizer string }{
		{"plain", "Kabul Grand Hotel", "Kabul Grand Hotel"},
		{"signs", `Rooms; suites, "best" \ first: 1\n`, `Rooms; suites, best \ first: 1\n`},
		{"line_end", "First\nBEGIN:VALARM", "FirstBEGIN:VALARM"},
		{"long_persian", strings.Repeat("مهمان‌سرای بزرگ کابل ", 8) + "۱", strings.Repeat("مهمان‌سرای بزرگ کابل ", 8) + "۱"},
		{"emoji", strings.Repeat("🏨", 40), strings.Repeat("🏨", 40)},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			d := newFakeBooking(env.Of(nil))
			d.brand, d.refuses["GET properties"], d.refuses["GET property"] = test.brand, "503 GENERAL.UNAVAILABLE", "503 GENERAL.UNAVAILABLE"
			got := parseCalendar(t, calendarFile(t, browse(t, env.Of(nil), d).open(home+"/confirmations/"+d.booked.String()).page))
			if got["SUMMARY"] != test.brand {
				t.Errorf("the summary is %q, want %q", got["SUMMARY"], test.brand)
			}
			if _, name := organizer(got); name != test.organizer {
				t.Errorf("the organizer is %q, want %q", name, test.organizer)
			}
		})
	}
}
