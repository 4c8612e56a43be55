package quotes

import (
	"cmp"
	"fmt"
	"time"
	_ "time/tzdata" // deadlines need it; a base image may lack it

	"melmastoon.ghasi.io/shared/stay"
)

// A Local holds the local time of a property. Quote and reservation keep a copy, so deadlines already shown do not
// change.
type Local struct {
	TimeZone      string `json:"timeZone"`      // IANA
	CheckInFrom   string `json:"checkInFrom"`   // "14:00"
	CheckOutUntil string `json:"checkOutUntil"` // "12:00"
}

// zone returns the time zone. New rejects unknown time zones; here an unknown zone counts as UTC.
func (l Local) zone() *time.Location {
	zone, err := time.LoadLocation(l.TimeZone)
	if err != nil {
		return time.UTC
	}
	return zone
}

// Midnight returns the start of a date at the property.
func (l Local) Midnight(d stay.Date) time.Time { return l.Hour(d, "00:00") }

// Hour returns the time of day, like 14:00, on a date at the property. An invalid time of day counts as midnight.
func (l Local) Hour(d stay.Date, clock string) time.Time {
	of, err := time.Parse("15:04", clock)
	if err != nil {
		of = time.Time{}
	}
	year, month, day := d.Time().Date()
	return time.Date(year, month, day, of.Hour(), of.Minute(), 0, 0, l.zone())
}

// Date returns the date at the property.
func (l Local) Date(now time.Time) stay.Date { return stay.DateOf(now.In(l.zone())) }

// BusinessDate returns the property's date the grace hours ago (decision 285). The front desk sells, starts and changes nights from this
// date on.
func (l Local) BusinessDate(now time.Time, graceHours int) stay.Date {
	return l.Date(now.Add(-time.Duration(min(graceHours, stay.MaxBusinessHours)) * time.Hour))
}

// defaultCheckOut is the check-out time of a property that has published none.
const defaultCheckOut = "12:00"

// CheckOut returns the time until which guests may stay on a date.
func (l Local) CheckOut(d stay.Date) time.Time {
	return l.Hour(d, cmp.Or(l.CheckOutUntil, defaultCheckOut))
}

// Validate returns an error for a property without an IANA time zone that this program knows.
func (l Local) Validate() error {
	if l.TimeZone == "" || l.TimeZone == "Local" { // LoadLocation maps them to UTC and to the zone of this process
		return fmt.Errorf("the time zone %q", l.TimeZone)
	}
	_, err := time.LoadLocation(l.TimeZone)
	return err
}
