package storefront_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"melmastoon.ghasi.io/shared/locale"
	"melmastoon.ghasi.io/shared/platform/env"
)

func TestConfirmation_calendar(t *testing.T) {
	t.Parallel()
	e := env.Of(nil)
	d := newFakeBooking(e)
	g := browse(t, e, d).open(home + "/confirmations/" + d.booked.String())
	g.sees(`download="GM-7K2QX9.ics"`, "Shahr-e Naw, Kabul", `href="tel:+93000001234"`, "Arrival from 14:00, departure until 12:00 (local time at the hotel)")
	got := calendarFile(t, g.page)
	for _, want := range []string{"BEGIN:VCALENDAR\r\nVERSION:2.0\r\n", "UID:" + d.booked.String() + "@melmastoon.ghasi.io\r\n",
		"DTSTART:20270321T093000Z\r\n", "DTEND:20270323T073000Z\r\n", `LOCATION:Shahr-e Naw\, Kabul` + "\r\n", "GM-7K2QX9\r\nLOCATION", "END:VCALENDAR\r\n"} {
		t.Run(fmt.Sprintf("%q", want), func(t *testing.T) {
			if !strings.Contains(got, want) {
				t.Errorf("the calendar does not contain %q: %s", want, got)
			}
		})
	}
	unnamed := newFakeBooking(e)
	unnamed.refuses["GET properties"], unnamed.refuses["GET property"] = "503 GENERAL.UNAVAILABLE", "503 GENERAL.UNAVAILABLE"
	page := browse(t, env.Of(nil), unnamed).open(home + "/confirmations/" + unnamed.booked.String()).page
	if text := calendarFile(t, page); !strings.Contains(text, "DTSTART;VALUE=DATE:20270321\r\nDTEND;VALUE=DATE:20270323\r\n") {
		t.Errorf("without the hotel's times the calendar is %s, want whole days", text)
	}
}

// TestTimes_suspended shows times at the hotel although the booking service returns no property.
func TestTimes_suspended(t *testing.T) {
	t.Parallel()
	for _, missing := range []string{"GET bootstrap", "GET properties"} {
		t.Run(missing, func(t *testing.T) {
			t.Parallel()
			d := newFakeBooking(env.Of(nil))
			d.stay, d.refuses[missing] = "checked_in", "503 TENANT.SUSPENDED" // without a deadline in the answer
			g := browse(t, env.Of(nil), d).stayed().sees("Free cancellation until the end of 19 March 2027 (local time at the hotel)", "Arrival from 14:00")
			if text := calendarFile(t, g.page); !strings.Contains(text, "DTSTART:20270321T093000Z\r\nDTEND:20270323T073000Z\r\n") {
				t.Errorf("the calendar is %s, want the hotel's times", text)
			}
			d.stay, d.penalty = "", 1210000
			at := d.deadline().In(time.FixedZone("Kabul", int((4*time.Hour + 30*time.Minute).Seconds()))).Format("2 January 2006, 15:04")
			g.cancelling().sees("It was free until " + at + " (local time at the hotel).")
		})
	}
}

// TestTimes_clockChange shows stays of two nights at hotels whose clocks change during the stay or before it. Cancelling is free until 24
// hours before the start of the arrival day, which begins at 01:00 on the day on which the clocks of Beirut go forward.
func TestTimes_clockChange(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, zone, from, to string
		free                 string
		starts, ends         string // in UTC
	}{
		{"beirut_day_without_midnight", "Asia/Beirut", "2027-03-28", "2027-03-30", "the end of 26 March 2027", "20270328T110000Z", "20270330T090000Z"},
		{"beirut_day_after", "Asia/Beirut", "2027-03-29", "2027-03-31", "27 March 2027, 23:00", "20270329T110000Z", "20270331T090000Z"},
		{"beirut_day_of_25_hours", "Asia/Beirut", "2027-10-30", "2027-11-01", "the end of 28 October 2027", "20271030T110000Z", "20271101T100000Z"},
		{"beirut_winter", "Asia/Beirut", "2027-10-31", "2027-11-02", "30 October 2027, 01:00", "20271031T120000Z", "20271102T100000Z"},
		{"kabul", "Asia/Kabul", "2027-03-28", "2027-03-30", "the end of 26 March 2027", "20270328T093000Z", "20270330T073000Z"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			d := newFakeBooking(env.Of(nil))
			d.zone, d.moved, d.stay = test.zone, body{"checkIn": test.from, "checkOut": test.to, "nights": 2}, "checked_in" // without a deadline in the answer
			g := browse(t, env.Of(nil), d).stayed()
			g.sees("Free cancellation until "+test.free+" (local time at the hotel)", "Arrival from 14:00, departure until 12:00", "Nights: 2")
			if text := calendarFile(t, g.page); !strings.Contains(text, "DTSTART:"+test.starts+"\r\nDTEND:"+test.ends+"\r\n") {
				t.Errorf("the calendar is %s, want from %s to %s", text, test.starts, test.ends)
			}
		})
	}
}

func TestSearch_solarCalendar(t *testing.T) {
	t.Parallel()
	e := env.Of(nil)
	for _, tag := range []locale.Tag{locale.Pashto, locale.Dari, locale.Persian} {
		t.Run(string(tag), func(t *testing.T) {
			d := newFakeBooking(e)
			d.locale = tag
			g := browse(t, e, d).open(home + "?checkInDay=1&checkInMonth=1&checkInYear=1406&checkOutDay=3&checkOutMonth=1&checkOutYear=1406&adults=2")
			g.lacks(`type="date"`).sees(`<select name="checkInMonth" aria-label="`, `<option value="3" selected>۳</option>`)
			asked := d.received[len(d.received)-1].URL.Query()
			if asked.Get("checkIn") != "2027-03-21" || asked.Get("checkOut") != "2027-03-23" {
				t.Errorf("searched %v, want 21 to 23 March 2027", asked)
			}
			g.open(home + "?checkIn=2040-03-20&checkOut=2040-03-22").sees(`<option value="1419" selected>۱۴۱۹</option>`) // after the usual years
		})
	}
	for _, tag := range []locale.Tag{locale.English, locale.Urdu, locale.Arabic} {
		d := newFakeBooking(e)
		d.locale = tag
		browse(t, e, d).open(home).sees(`type="date"`).lacks("checkInMonth")
	}
}

// TestSearch_noSuchDay chooses days that the solar calendar does not have, of which some exist in the Gregorian one. The form keeps them.
func TestSearch_noSuchDay(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, year, month, day string }{
		{"mehr", "1406", "7", "31"}, {"azar", "1406", "9", "31"}, {"bahman", "1406", "11", "31"}, {"common_year", "1406", "12", "30"}, {"leap_year", "1408", "12", "31"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			d := newFakeBooking(env.Of(nil))
			d.locale = locale.Persian
			query := "?checkInDay=" + test.day + "&checkInMonth=" + test.month + "&checkInYear=" + test.year + "&checkOutDay=x&checkOutMonth=2&checkOutYear=1407"
			g := browse(t, env.Of(nil), d)
			sees := []string{"آن ماه چنین روزی ندارد.", `<option value="` + test.day + `" selected>`, `<option value="` + test.month + `" selected>`, `<option value="` + test.year + `" selected>`}
			g.open(home + query).sees(sees...)
			g.open(home + "/confirmations/" + d.booked.String() + "/changes" + query).sees(sees...)
			if slices.Contains(d.asked, "GET availability") || slices.Contains(d.asked, "PATCH reservation") {
				t.Errorf("the site asked for a day that does not exist: %v", d.asked)
			}
		})
	}
}

func TestSearch_tooLong(t *testing.T) {
	t.Parallel()
	e := env.Of(nil)
	d := newFakeBooking(e)
	d.limit = 30
	g := browse(t, e, d).open(home+"?checkIn=2027-01-01&checkOut=2027-02-01").sees("At most 30 nights can be booked here at once.", `value="2027-02-01"`).lacks("Someone was faster", "Family suite, ")
	g.open(home + "?checkIn=2027-01-01&checkOut=2027-01-31").lacks("At most 30").sees("Family suite")
	g.open(home+"/confirmations/"+d.booked.String()+"/changes?checkIn=2027-01-01&checkOut=2027-02-01").sees("At most 30 nights", `value="2027-02-01"`).lacks("The stay from")
	g.open(home + "?checkIn=0027-01-01&checkOut=2027-02-01").lacks("does not have that day") // a year that is typed in part
}

// TestSearch_dayOver searches for arrivals around today at the hotel, when it is still yesterday in UTC.
func TestSearch_dayOver(t *testing.T) {
	t.Parallel()
	const over = "The day of arrival is over (local time at the hotel)."
	e := env.Of(nil)
	e.Advance(time.Date(2027, 3, 21, 19, 25, 0, 0, time.UTC).Sub(e.Now())) // 23:55 in Kabul
	d := newFakeBooking(e)
	g := browse(t, e, d).open(searched).lacks(over).sees("Family suite")
	e.Advance(10 * time.Minute)
	before := len(d.asked)
	g.open(searched).sees(over, `value="2027-03-21"`).lacks("Family suite, ", "Someone was faster")
	if slices.Contains(d.asked[before:], "GET availability") {
		t.Error("asked for the rooms of a day that is over")
	}
	g.open(home + "?checkIn=2027-03-22&checkOut=2027-03-23").lacks(over).sees("Family suite")
	d.refuses["POST quote"] = "409 RESERVATION.OVERBOOKING_BLOCKED"
	late := browse(t, e, d) // with a page that was opened before midnight
	late.open(home + "?checkIn=2027-03-22&checkOut=2027-03-23")
	late.send("/choices", "checkIn", "2027-03-21").sees(over)
	g.open(home + "/confirmations/" + d.booked.String() + "/changes?checkIn=2027-03-21&checkOut=2027-03-22").sees(over).lacks("The stay from")
	for tag, sees := range map[locale.Tag]string{"ps-AF": "د رسېدو ورځ تېره شوې ده", "fa-AF": "روز ورود گذشته است", "fa-IR": "روز ورود گذشته است", "ur-PK": "آمد کا دن گزر چکا ہے", "ar-AE": "انقضى يوم الوصول"} {
		t.Run(string(tag), func(t *testing.T) {
			t.Parallel()
			d := newFakeBooking(e)
			d.locale, d.offered = tag, []locale.Tag{tag}
			browse(t, e, d).open(searched).sees(sees)
		})
	}
}
