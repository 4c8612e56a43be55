package handoff

import (
	"encoding"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"melmastoon.ghasi.io/shared/locale"
	"melmastoon.ghasi.io/shared/money"
)

// version is the first line of the canonical string and the first part of the token.
const version = "v1"

// errCanonical is for a text that is no canonical string, or not the only way to write what it says.
var errCanonical = errors.New("handoff: not a canonical string")

// A field is one line of the canonical string.
type field interface {
	fmt.Stringer
	encoding.TextUnmarshaler
}

// fields are the lines after the version, in the order that is signed.
func (h *Handoff) fields() []field {
	return []field{
		&h.ID, &h.GuestSession, &h.Tenant, &h.Property,
		&h.Dates.CheckIn, &h.Dates.CheckOut,
		(*count)(&h.Occupancy.Adults), (*count)(&h.Occupancy.Children), (*count)(&h.Occupancy.Rooms),
		(*currency)(&h.Currency), (*tag)(&h.Locale),
		(*instant)(&h.MintedAt), (*instant)(&h.ExpiresAt),
		(*keyID)(&h.KeyID),
	}
}

// canonical is what is signed: one line per field, LF between them, none at the end.
func (h Handoff) canonical() string {
	var b strings.Builder
	b.Grow(longest / 2)
	b.WriteString(version)
	for _, f := range h.fields() {
		b.WriteByte('\n')
		b.WriteString(f.String())
	}
	return b.String()
}

// parse reads a canonical string. It takes only what canonical would write again to the byte, so that no handoff has two
// tokens, and with that no field that could hold a line feed or another control character.
func parse(s string) (h Handoff, err error) {
	fields, lines := h.fields(), strings.Split(s, "\n")
	if len(lines) != 1+len(fields) {
		return Handoff{}, errCanonical
	}
	for i, f := range fields {
		if err := f.UnmarshalText([]byte(lines[i+1])); err != nil {
			return Handoff{}, fmt.Errorf("%w: line %d: %w", errCanonical, i+2, err)
		}
	}
	if h.canonical() != s {
		return Handoff{}, errCanonical
	}
	return h, h.validate()
}

// lastLine is the key id of a canonical string that nobody has checked yet.
func lastLine(canonical string) string { return canonical[strings.LastIndexByte(canonical, '\n')+1:] }

var errNumber = errors.New("not a number")

type count int

func (c *count) String() string { return strconv.Itoa(int(*c)) }

func (c *count) UnmarshalText(text []byte) error {
	n, err := strconv.Atoi(string(text))
	if err != nil {
		return errNumber
	}
	*c = count(n)
	return nil
}

type currency money.Currency

func (c *currency) String() string { return string(*c) }

func (c *currency) UnmarshalText(text []byte) error { return (*money.Currency)(c).UnmarshalText(text) }

type tag locale.Tag

func (t *tag) String() string { return string(*t) }

func (t *tag) UnmarshalText(text []byte) error { return (*locale.Tag)(t).UnmarshalText(text) }

var errInstant = errors.New("not an instant in UTC with milliseconds")

type instant time.Time

const layout = "2006-01-02T15:04:05.000Z"

func (i *instant) String() string { return time.Time(*i).UTC().Format(layout) }

func (i *instant) UnmarshalText(text []byte) error {
	t, err := time.Parse(layout, string(text))
	if err != nil {
		return errInstant
	}
	*i = instant(t)
	return nil
}

// A keyID needs no rule of its own: it is looked up in the ring before it is read.
type keyID string

func (k *keyID) String() string { return string(*k) }

func (k *keyID) UnmarshalText(text []byte) error {
	*k = keyID(text)
	return nil
}
