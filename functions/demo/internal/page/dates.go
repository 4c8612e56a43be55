package page

import (
	"fmt"
	"strconv"

	"melmastoon.ghasi.io/shared/stay"
)

// A ChosenDate is a date as a form submits it: the value of a date field, or day, month and year of the solar calendar.
type ChosenDate struct{ Value, Day, Month, Year string }

// String returns the date in the form of a search. A day that the solar calendar does not have stays in that calendar, so that
// the form shows it again; [SolarDate] recognizes it.
func (c ChosenDate) String() string {
	if c.Day == "" {
		return c.Value
	}
	day, noDay := strconv.Atoi(c.Day)
	month, noMonth := strconv.Atoi(c.Month)
	year, noYear := strconv.Atoi(c.Year)
	if d, ok := FromSolar(year, month, day); ok && noDay == nil && noMonth == nil && noYear == nil {
		return d.String()
	}
	return c.Year + "-" + pad(c.Month) + "-" + pad(c.Day)
}

// pad returns a day or a month in two digits.
func pad(s string) string {
	if len(s) == 1 {
		return "0" + s
	}
	return s
}

// Years of the solar calendar that a guest can choose are in this range. Gregorian years are not.
const (
	firstSolar = 1300
	lastSolar  = 1600
)

// SolarDate parses a result of ChosenDate.String. It reports whether the result is a date of the solar calendar: one that this calendar
// does not have.
func SolarDate(text string) (date [3]int, ok bool) {
	n, _ := fmt.Sscanf(text, "%d-%d-%d", &date[0], &date[1], &date[2])
	return date, n == len(date) && date[0] >= firstSolar && date[0] < lastSolar
}

// NoSuchDay is the code of a date that the solar calendar does not have. The sites find it themselves.
const NoSuchDay = "SITE.NO_SUCH_DAY"

// CheckDays returns a ServiceError if the solar calendar does not have one of the dates.
func CheckDays(dates ...string) error {
	for _, date := range dates {
		if _, ok := SolarDate(date); ok {
			return &ServiceError{Code: NoSuchDay}
		}
	}
	return nil
}

// A DateChoice is three selectors for a date of the solar calendar.
type DateChoice struct {
	Name, Label         string
	Parts               [3]string // the words for day, month and year
	Days, Months, Years []DateOption
}

// A DateOption is one option of a selector.
type DateOption struct {
	Value    int
	Text     string
	Selected bool
}

// ChoosesSolar reports whether dates are chosen in the solar calendar.
func (l Localizer) ChoosesSolar() bool { return l.Calendar == "persian" }

// DateChoice returns the selectors for a field with its current value. Years begin with that of today.
func (l Localizer) DateChoice(name, label, value string, today stay.Date) DateChoice {
	current, month, day := Solar(today)
	year := current
	if typed, ok := SolarDate(value); ok {
		year, month, day = typed[0], typed[1], typed[2]
	} else if d, err := stay.ParseDate(value); err == nil {
		year, month, day = Solar(d)
	}
	c := DateChoice{Name: name, Label: label, Parts: [3]string{l.T("date.day"), l.T("date.month"), l.T("date.year")}}
	for n := range 31 {
		c.Days = append(c.Days, DateOption{n + 1, l.Number(n + 1), n+1 == day})
	}
	for n, text := range l.SolarMonths() {
		c.Months = append(c.Months, DateOption{n + 1, text, n+1 == month})
	}
	years := []int{current, current + 1, current + 2}
	if year > current+2 {
		years = append(years, year) // of a link
	}
	for _, n := range years {
		c.Years = append(c.Years, DateOption{n, l.Number(n), n == year})
	}
	return c
}
