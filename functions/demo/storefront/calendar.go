package storefront

import (
	"encoding/base64"
	"fmt"
	"html/template"
	"strings"
	"time"
	"unicode"

	"melmastoon.ghasi.io/shared/pseudonym"
	"melmastoon.ghasi.io/shared/stay"
)

// hour returns a time of day, for example 14:00, on a date at the hotel; false if the hotel has not set it.
func (v View) hour(d stay.Date, clock string) (time.Time, bool) {
	at, err := time.Parse("15:04", clock)
	if err != nil {
		return at, false
	}
	y, m, day := d.Time().Date()
	return time.Date(y, m, day, at.Hour(), at.Minute(), 0, 0, v.Localizer.Zone), true
}

// Times returns the check-in and check-out times of a stay, or "" if the hotel has not set them.
func (v View) Times(p *Property, s DraftStay) string {
	in, knownIn := v.hour(s.CheckIn, p.CheckIn)
	out, knownOut := v.hour(s.CheckOut, p.CheckOut)
	if !knownIn || !knownOut {
		return ""
	}
	return v.T("confirmed.times", v.Localizer.Clock(in), v.Localizer.Clock(out))
}

// PhoneURL returns the URL that dials a telephone number, or "" if it is not one.
func (View) PhoneURL(number string) template.URL {
	dialled, err := pseudonym.E164(number)
	if err != nil {
		return ""
	}
	return template.URL("tel:" + dialled) //nolint:gosec // a plus sign and digits
}

// Calendar returns a data URL with the stay as an event of RFC 5545, so that the guest's calendar needs no further request. The file of a
// changed booking replaces an earlier one: it has the same UID and a higher SEQUENCE. That of a booking that has ended cancels the event,
// as RFC 5546 describes for published events.
func (v View) Calendar(c *Confirmation) template.URL {
	const stamp = "20060102T150405Z"
	method, status := "PUBLISH", "CONFIRMED"
	if c.Ended() {
		method, status = "CANCEL", "CANCELLED"
	}
	lines := []string{"BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//Melmastoon//Hotel site//EN", "METHOD:" + method, "BEGIN:VEVENT",
		"UID:" + c.Reservation.String() + "@melmastoon.ghasi.io", "DTSTAMP:" + v.At.UTC().Format(stamp),
		fmt.Sprintf("SEQUENCE:%d", c.Version), "STATUS:" + status, v.organizer(c)}
	lines = append(lines, v.eventTime("DTSTART", c, Property.checkIn), v.eventTime("DTEND", c, Property.checkOut),
		"SUMMARY:"+escapeCalendar(v.PropertyName(c.Property)), "DESCRIPTION:"+escapeCalendar(v.T("confirmed.code")+": "+c.Code))
	if p := v.Property(c.Property); p != nil && p.Address != "" {
		lines = append(lines, "LOCATION:"+escapeCalendar(p.Address))
	}
	lines = append(lines, "END:VEVENT", "END:VCALENDAR", "")
	for i, line := range lines {
		lines[i] = fold(line)
	}
	text := strings.Join(lines, "\r\n")
	return template.URL("data:text/calendar;charset=utf-8;method=" + method + ";base64," + base64.StdEncoding.EncodeToString([]byte(text))) //nolint:gosec // base64
}

// organizer returns the property ORGANIZER, which both methods require. Its address is the UUID of the hotel's property, which never changes:
// the site does not know a mail address that calendars could answer to.
func (v View) organizer(c *Confirmation) string {
	name := strings.Map(func(r rune) rune { // a quoted parameter has no form for these
		if r == '"' || unicode.IsControl(r) {
			return -1
		}
		return r
	}, v.PropertyName(c.Property))
	p := c.Property
	return fmt.Sprintf(`ORGANIZER;CN="%s":urn:uuid:%x-%x-%x-%x-%x`, name, p[:4], p[4:6], p[6:8], p[8:10], p[10:])
}

func (p Property) checkIn(s DraftStay) (stay.Date, string)  { return s.CheckIn, p.CheckIn }
func (p Property) checkOut(s DraftStay) (stay.Date, string) { return s.CheckOut, p.CheckOut }

// eventTime returns a property of an event: a time in UTC, or a date if the hotel has not set the hour.
func (v View) eventTime(name string, c *Confirmation, of func(Property, DraftStay) (stay.Date, string)) string {
	var p Property
	if found := v.Property(c.Property); found != nil {
		p = *found
	}
	_, knownIn := v.hour(c.Stay.CheckIn, p.CheckIn)
	_, knownOut := v.hour(c.Stay.CheckOut, p.CheckOut)
	date, clock := of(p, c.Stay)
	if at, _ := v.hour(date, clock); knownIn && knownOut { // both have the same type
		return name + ":" + at.UTC().Format("20060102T150405Z")
	}
	return name + ";VALUE=DATE:" + date.Time().Format("20060102")
}

var calendarText = strings.NewReplacer("\\", "\\\\", ";", "\\;", ",", "\\,", "\n", "\\n", "\r", "")

// escapeCalendar escapes a text value.
func escapeCalendar(s string) string { return calendarText.Replace(s) }

// maxCalendarLine is the maximum of bytes in a line of a calendar, without its end.
const maxCalendarLine = 75

// fold splits a line that is too long, between characters. The next line begins with a space.
func fold(line string) string {
	var b strings.Builder
	length := 0
	for _, r := range line {
		if size := len(string(r)); length+size > maxCalendarLine {
			b.WriteString("\r\n ")
			length = 1
		}
		n, _ := b.WriteRune(r)
		length += n
	}
	return b.String()
}
