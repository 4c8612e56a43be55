// Package stay represents the guests and nights of a stay. Its dates are calendar days at the property, without a time zone.
package stay

import (
	"database/sql/driver"
	"errors"
	"fmt"
	"time"
)

// Errors of an invalid stay. They may be shown to callers.
var (
	ErrDate      = errors.New("not a calendar day of the form 2006-01-02")
	ErrOrder     = errors.New("the stay must end after it starts")
	ErrTooLong   = errors.New("the stay is longer than a year")
	ErrNoAdult   = errors.New("at least one adult must stay")
	ErrOccupants = errors.New("the number of people is not possible")
	ErrInfants   = fmt.Errorf("at most %d infants can stay in one room", maxInfants)
)

const (
	day = 24 * time.Hour
	// maxNights bounds the rows and the work of one request.
	maxNights = 366
	// maxOccupants bounds the adults and the children in one room, so that sums cannot overflow.
	maxOccupants = 100
	// maxInfants bounds the infants in one room. Infants do not count towards the people for whom a room is made, so no room type
	// limits them.
	maxInfants = 4
)

// A Date is a calendar day. Dates compare with ==; the zero Date is not set.
type Date struct {
	days int32 // since 0001-01-01, which therefore cannot be represented
}

var epoch = time.Date(1, 1, 1, 0, 0, 0, 0, time.UTC).Unix()

// ParseDate parses the form 2006-01-02.
func ParseDate(s string) (Date, error) {
	t, err := time.Parse(time.DateOnly, s)
	if err != nil || t.Unix() <= epoch {
		return Date{}, ErrDate
	}
	return DateOf(t), nil
}

// DateOf returns the day of t in its own location.
func DateOf(t time.Time) Date {
	y, m, d := t.Date()
	return Date{int32((time.Date(y, m, d, 0, 0, 0, 0, time.UTC).Unix() - epoch) / int64(day/time.Second))}
}

// Time returns midnight UTC of that day, for libraries without a date type. It is not an instant at the property.
func (d Date) Time() time.Time {
	return time.Unix(epoch+int64(d.days)*int64(day/time.Second), 0).UTC()
}

// AddDays returns the day n days later, or earlier if n is negative.
func (d Date) AddDays(n int) Date { return Date{d.days + int32(n)} }

// Before reports whether d is an earlier day than o.
func (d Date) Before(o Date) bool { return d.days < o.days }

// IsZero reports whether d is not set.
func (d Date) IsZero() bool { return d == Date{} }

// String returns the form 2006-01-02.
func (d Date) String() string { return d.Time().Format(time.DateOnly) }

// MarshalText returns the form 2006-01-02.
func (d Date) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// UnmarshalText parses the form 2006-01-02.
func (d *Date) UnmarshalText(text []byte) error {
	read, err := ParseDate(string(text))
	if err != nil {
		return err
	}
	*d = read
	return nil
}

// Value returns an SQL date.
func (d Date) Value() (driver.Value, error) { return d.Time(), nil }

// Scan reads an SQL date. It rejects NULL; scan nullable columns into a pointer to a Date.
func (d *Date) Scan(src any) error {
	switch v := src.(type) {
	case time.Time:
		*d = DateOf(v)
		return nil
	case string:
		return d.UnmarshalText([]byte(v))
	}
	return fmt.Errorf("stay: cannot scan %T into a date", src)
}

// A Window is half-open: the guest sleeps the night that begins on Start and leaves on End.
type Window struct {
	Start Date `json:"start"`
	End   Date `json:"end"`
}

// Nights returns the number of nights, or 0 if the stay does not end after it starts.
func (w Window) Nights() int { return max(0, int(w.End.days)-int(w.Start.days)) }

// Dates returns the days on which a night of the stay begins.
func (w Window) Dates() []Date {
	dates := make([]Date, 0, w.Nights())
	for d := w.Start; d.Before(w.End); d = d.AddDays(1) {
		dates = append(dates, d)
	}
	return dates
}

// Validate returns an error for a stay without a night, and for one of more than a year.
func (w Window) Validate() error {
	switch {
	case w.Start.IsZero() || w.End.IsZero():
		return ErrDate
	case !w.Start.Before(w.End):
		return ErrOrder
	case w.Nights() > maxNights:
		return ErrTooLong
	}
	return nil
}

// Occupants are the people in one room.
type Occupants struct {
	Adults   int `json:"adults"`
	Children int `json:"children"`
	Infants  int `json:"infants,omitzero"`
}

// Validate returns an error for a room without an adult, and for numbers that are too large.
func (o Occupants) Validate() error {
	for _, n := range []int{o.Adults, o.Children, o.Infants} {
		if n < 0 || n > maxOccupants {
			return ErrOccupants
		}
	}
	if o.Infants > maxInfants {
		return ErrInfants
	}
	if o.Adults == 0 {
		return ErrNoAdult
	}
	return nil
}
