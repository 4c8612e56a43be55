package pseudonym

import (
	"errors"
	"fmt"
	"net/netip"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// Errors of an invalid value. They may be shown to callers and do not contain the value.
var (
	ErrPhone   = errors.New("not a telephone number with its country code, such as +93 70 123 4567")
	ErrAddress = errors.New("not an IP address")
)

// A Value is a normalized personal value. It never prints its content.
type Value struct{ text string }

// String returns a constant, never the value.
func (v Value) String() string { return "pseudonym.Value" }

// GoString returns String, so that no verb of fmt prints a value by reflection.
func (v Value) GoString() string { return v.String() }

// MarshalText returns String: a value never leaves the process.
func (v Value) MarshalText() ([]byte, error) { return []byte(v.String()), nil }

func unprintable(r rune) bool { return unicode.IsSpace(r) || !unicode.IsPrint(r) }

// The length limits of an international number, including the country code (E.164).
const (
	minDigits = 7
	maxDigits = 15
)

// Phone returns the number in the form of [E164].
func Phone(s string) (Value, error) {
	number, err := E164(s)
	return Value{number}, err
}

// E164 returns a telephone number in E.164: a plus sign and digits. It accepts spaces, dashes, dots, slashes, brackets and
// direction marks, 00 instead of the plus sign, a "(0)" as on business cards, and Eastern digits. It rejects a number without a
// country code, because the country is unknown.
func E164(s string) (string, error) {
	var b strings.Builder
	for _, r := range strings.Replace(Latin(s), "(0)", "", 1) {
		switch {
		case r >= '0' && r <= '9', r == '+':
			b.WriteRune(r)
		case !decoration(r):
			return "", ErrPhone
		}
	}
	number := b.String()
	if rest, ok := strings.CutPrefix(number, "00"); ok {
		number = "+" + rest
	}
	digits, international := strings.CutPrefix(number, "+")
	if !international || len(digits) < minDigits || len(digits) > maxDigits || digits[0] == '0' || strings.Contains(digits, "+") {
		return "", ErrPhone
	}
	return number, nil
}

// Latin converts Arabic-Indic, Persian and full-width digits and the full-width plus sign to ASCII.
func Latin(s string) string {
	return strings.Map(func(r rune) rune {
		for _, zero := range []rune{'٠', '۰', '０'} {
			if r >= zero && r <= zero+9 {
				return '0' + r - zero
			}
		}
		if r == '＋' {
			return '+'
		}
		return r
	}, s)
}

// decoration reports whether a character may separate digits. Cf includes the invisible direction marks in numbers copied from
// right-to-left text.
func decoration(r rune) bool {
	return strings.ContainsRune("-./()", r) || unicode.IsSpace(r) || unicode.In(r, unicode.Pd, unicode.Cf)
}

// networkBits is the prefix of an IPv6 address that belongs to one household; the rest changes several times a day.
const networkBits = 64

// Address returns an IPv4 address, or the /64 network of an IPv6 address.
func Address(a netip.Addr) (Value, error) {
	switch a = a.Unmap(); {
	case a.Is4():
		return Value{a.String()}, nil
	case a.Is6():
		return Value{netip.PrefixFrom(a, networkBits).Masked().String()}, nil
	}
	return Value{}, ErrAddress
}

// Initials returns the initials of a name, in NFC and upper case.
func Initials(names ...string) Value {
	var initials strings.Builder
	for _, name := range names {
		for _, r := range norm.NFC.String(strings.TrimSpace(name)) {
			initials.WriteRune(r)
			break
		}
	}
	return Value{norm.NFC.String(strings.ToUpper(initials.String()))}
}

// UserAgent returns the trimmed user agent. An empty one is also a value.
func UserAgent(s string) Value { return Value{strings.TrimSpace(s)} }

// Fingerprint returns the value of a browser's properties, in the caller's order. Each part is prefixed with its length, so that
// different parts have different values.
func Fingerprint(parts ...string) Value {
	var b strings.Builder
	for _, p := range parts {
		p = strings.TrimSpace(p)
		fmt.Fprintf(&b, "%d:%s", len(p), p)
	}
	return Value{b.String()}
}
