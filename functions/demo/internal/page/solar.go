package page

import (
	"time"

	"melmastoon.ghasi.io/shared/locale"
	"melmastoon.ghasi.io/shared/stay"
)

// SolarMonths returns the names of the months of the solar year.
func (l Localizer) SolarMonths() []string {
	if months, ok := solarMonths[l.reader]; ok {
		return months
	}
	return solarMonths[locale.Tag(l.reader.Language()+"-AF")]
}

// Solar returns a date in the solar calendar.
func Solar(d stay.Date) (year, month, day int) { return solar(d.Time()) }

// FromSolar returns the date of a day in the solar calendar, and false if the calendar has no such day.
func FromSolar(year, month, day int) (d stay.Date, ok bool) {
	const first, last = 1375, 1500 // the years for which solar is correct
	if year < first || year > last || month < 1 || month > 12 || day < 1 || day > 31 {
		return d, false
	}
	n := year - first
	days := n / 33 * cycle
	n %= 33
	days += n / 4 * leaps
	if n %= 4; n > 0 {
		days += n*common + 1 // the first of four years is a leap year
	}
	days += (month-1)*31 + day - 1 - max(0, month-7)
	t := time.Date(1996, time.March, 20, 0, 0, 0, 0, time.UTC).AddDate(0, 0, days)
	y, m, dayOfMonth := solar(t)
	return stay.DateOf(t), y == year && m == month && dayOfMonth == day
}
