package handoff

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

const (
	// version is the first line of the canonical string and the first part of the token.
	version = "v1"
	// lines is the number of lines of the canonical string.
	lines = 15
	// instant is the form of times: in UTC with milliseconds.
	instant = "2006-01-02T15:04:05.000Z"
)

// Errors for a text that is not a canonical string. They contain no values.
var (
	errCanonical = errors.New("handoff: not a canonical string")
	errNumber    = errors.New("not a number")
	errInstant   = errors.New("not an instant in UTC with milliseconds")
)

// canonical returns the signed text: the version and one line per field, joined by LF.
func (h Handoff) canonical() string {
	return strings.Join([]string{
		version,
		h.ID.String(), h.GuestSession.String(), h.Tenant.String(), h.Property.String(),
		h.Dates.CheckIn.String(), h.Dates.CheckOut.String(),
		strconv.Itoa(h.Occupancy.Adults), strconv.Itoa(h.Occupancy.Children), strconv.Itoa(h.Occupancy.Rooms),
		string(h.Currency), string(h.Locale),
		h.MintedAt.UTC().Format(instant), h.ExpiresAt.UTC().Format(instant),
		h.KeyID,
	}, "\n")
}

// parse reads a canonical string. It accepts only the exact bytes that canonical would write, so that a handoff has only one
// token, and no field contains a line feed or another control character.
func parse(text string) (Handoff, error) {
	line := strings.Split(text, "\n")
	if len(line) != lines {
		return Handoff{}, errCanonical
	}
	h := Handoff{KeyID: line[14]} // looked up in the ring by the caller
	err := errors.Join(
		h.ID.UnmarshalText([]byte(line[1])),
		h.GuestSession.UnmarshalText([]byte(line[2])),
		h.Tenant.UnmarshalText([]byte(line[3])),
		h.Property.UnmarshalText([]byte(line[4])),
		h.Dates.CheckIn.UnmarshalText([]byte(line[5])),
		h.Dates.CheckOut.UnmarshalText([]byte(line[6])),
		readNumber(&h.Occupancy.Adults, line[7]),
		readNumber(&h.Occupancy.Children, line[8]),
		readNumber(&h.Occupancy.Rooms, line[9]),
		h.Currency.UnmarshalText([]byte(line[10])),
		h.Locale.UnmarshalText([]byte(line[11])),
		readInstant(&h.MintedAt, line[12]),
		readInstant(&h.ExpiresAt, line[13]),
	)
	if err != nil {
		return Handoff{}, fmt.Errorf("%w: %w", errCanonical, err)
	}
	if h.canonical() != text { // another version, or another spelling of a field
		return Handoff{}, errCanonical
	}
	return h, h.validate()
}

func readNumber(n *int, line string) (err error) {
	if *n, err = strconv.Atoi(line); err != nil {
		return errNumber
	}
	return nil
}

func readInstant(t *time.Time, line string) (err error) {
	if *t, err = time.Parse(instant, line); err != nil {
		return errInstant
	}
	return nil
}
