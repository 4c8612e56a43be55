package handoff

import (
	"bytes"
	"encoding"
	"errors"
	"fmt"
	"strconv"
	"time"

	"melmastoon.ghasi.io/shared/locale"
	"melmastoon.ghasi.io/shared/money"
)

// version is the first line of the canonical string and the first part of the token.
const version = "v1"

// errCanonical is the error for a text that is not a canonical string.
var errCanonical = errors.New("handoff: not a canonical string")

// A field is one line of the canonical string.
type field interface {
	encoding.TextAppender
	encoding.TextUnmarshaler
}

// fields returns the lines after the version, in the signed order.
func (h *Handoff) fields() [14]field {
	return [...]field{
		&h.ID, &h.GuestSession, &h.Tenant, &h.Property,
		&h.Dates.CheckIn, &h.Dates.CheckOut,
		(*count)(&h.Occupancy.Adults), (*count)(&h.Occupancy.Children), (*count)(&h.Occupancy.Rooms),
		(*currency)(&h.Currency), (*tag)(&h.Locale),
		(*instant)(&h.MintedAt), (*instant)(&h.ExpiresAt),
		(*keyID)(&h.KeyID),
	}
}

// canonical returns the signed text: one line per field, joined by LF.
func (h Handoff) canonical() ([]byte, error) {
	var err error
	b := append(make([]byte, 0, maxTokenLength/2), version...)
	for _, f := range h.fields() {
		if b, err = f.AppendText(append(b, '\n')); err != nil {
			return nil, err
		}
	}
	return b, nil
}

// parse reads a canonical string. It accepts only the exact bytes that canonical would write, so that a handoff has only one
// token, and no field contains a line feed or another control character.
func parse(text []byte) (h Handoff, err error) {
	first, rest, more := bytes.Cut(text, newline)
	if string(first) != version {
		return Handoff{}, errCanonical
	}
	again := make([]byte, 0, maxLineLength) // the line as canonical writes it
	for i, f := range h.fields() {
		var line []byte
		if !more {
			return Handoff{}, errCanonical
		}
		line, rest, more = bytes.Cut(rest, newline)
		if err := f.UnmarshalText(line); err != nil {
			return Handoff{}, fmt.Errorf("%w: line %d: %w", errCanonical, i+2, err)
		}
		if again, err = f.AppendText(again[:0]); err != nil || !bytes.Equal(again, line) {
			return Handoff{}, errCanonical
		}
	}
	if more {
		return Handoff{}, errCanonical
	}
	return h, h.validate()
}

// maxLineLength is the buffer size for a line, about the length of an id. Longer lines still work.
const maxLineLength = 48

var newline = []byte{'\n'}

// lastLine returns the key id of a canonical string before verification.
func lastLine(canonical []byte) []byte { return canonical[bytes.LastIndexByte(canonical, '\n')+1:] }

var errNumber = errors.New("not a number")

type count int

func (c *count) AppendText(b []byte) ([]byte, error) { return strconv.AppendInt(b, int64(*c), 10), nil }

func (c *count) UnmarshalText(text []byte) error {
	n, err := strconv.Atoi(string(text))
	if err != nil {
		return errNumber
	}
	*c = count(n)
	return nil
}

type currency money.Currency

func (c *currency) AppendText(b []byte) ([]byte, error) { return append(b, *c...), nil }

func (c *currency) UnmarshalText(text []byte) error { return (*money.Currency)(c).UnmarshalText(text) }

type tag locale.Tag

func (t *tag) AppendText(b []byte) ([]byte, error) { return append(b, *t...), nil }

func (t *tag) UnmarshalText(text []byte) error { return (*locale.Tag)(t).UnmarshalText(text) }

var errInstant = errors.New("not an instant in UTC with milliseconds")

type instant time.Time

func (i *instant) AppendText(b []byte) ([]byte, error) {
	t := time.Time(*i).UTC()
	b = t.AppendFormat(b, time.RFC3339) // the fast path of AppendFormat; it ends with Z
	ms := t.Nanosecond() / int(time.Millisecond)
	return append(b[:len(b)-1], '.', '0'+byte(ms/100), '0'+byte(ms/10%10), '0'+byte(ms%10), 'Z'), nil
}

func (i *instant) UnmarshalText(text []byte) error {
	t, err := time.Parse(time.RFC3339, string(text)) // other spellings fail the comparison of the line
	if err != nil || t.Location() != time.UTC {
		return errInstant
	}
	*i = instant(t)
	return nil
}

// A keyID is not validated, because it is looked up in the ring before it is parsed.
type keyID string

func (k *keyID) AppendText(b []byte) ([]byte, error) { return append(b, *k...), nil }

func (k *keyID) UnmarshalText(text []byte) error {
	*k = keyID(text)
	return nil
}
