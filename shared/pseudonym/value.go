package pseudonym

import (
	"errors"
	"net/netip"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Why a value is refused. The sentences may be shown to callers and never repeat the value.
var (
	ErrEmail   = errors.New("not an e-mail address")
	ErrPhone   = errors.New("not a telephone number with its country code, such as +93 70 123 4567")
	ErrAddress = errors.New("not an IP address")
)

// A Value is something personal in the one spelling that is hashed. It prints nothing of it.
type Value struct{ text string }

// String tells nothing.
func (v Value) String() string { return "pseudonym.Value" }

// GoString is String, so that no verb of fmt prints a value by reflection.
func (v Value) GoString() string { return v.String() }

// MarshalText writes what String does: a value never leaves the process.
func (v Value) MarshalText() ([]byte, error) { return []byte(v.String()), nil }

const maxEmailLength = 254 // RFC 5321 with its erratum

// Email is trimmed and in lower case. Whether somebody reads it is not known here.
func Email(s string) (Value, error) {
	if !utf8.ValidString(s) {
		return Value{}, ErrEmail // lower case would put another character for the broken one
	}
	s = strings.ToLower(strings.TrimSpace(s))
	at := strings.LastIndexByte(s, '@')
	if at < 1 || at == len(s)-1 || len(s) > maxEmailLength || strings.ContainsFunc(s, unprintable) {
		return Value{}, ErrEmail
	}
	return Value{s}, nil
}

func unprintable(r rune) bool { return unicode.IsSpace(r) || !unicode.IsPrint(r) }

// The lengths of an international number, country code included (E.164).
const (
	minDigits = 7
	maxDigits = 15
)

// Phone returns the number in the form of [E164].
func Phone(s string) (Value, error) {
	number, err := E164(s)
	return Value{number}, err
}

// E164 returns a telephone number in E.164: a plus sign and digits. It may be written with spaces, dashes, dots, slashes, brackets and
// marks of direction, with 00 for the plus sign, a "(0)" as business cards have it, and in Eastern digits. A number without its country
// code is refused: the country is not known here.
func E164(s string) (string, error) {
	var b strings.Builder
	for _, r := range strings.Replace(latin(s), "(0)", "", 1) {
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

// latin writes Arabic-Indic, Persian and full-width digits and the full-width plus sign as ASCII has them.
func latin(s string) string {
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

// decoration is what people and keyboards put between the digits. Cf are the invisible marks of direction that numbers
// copied out of right-to-left text carry.
func decoration(r rune) bool {
	return strings.ContainsRune("-./()", r) || unicode.IsSpace(r) || unicode.In(r, unicode.Pd, unicode.Cf)
}

// networkBits of an IPv6 address belong to one household; the rest changes by itself, several times a day.
const networkBits = 64

// Address is an IPv4 address, or the /64 network of an IPv6 address.
func Address(a netip.Addr) (Value, error) {
	switch a = a.Unmap(); {
	case a.Is4():
		return Value{a.String()}, nil
	case a.Is6():
		return Value{netip.PrefixFrom(a, networkBits).Masked().String()}, nil
	}
	return Value{}, ErrAddress
}

// UserAgent is trimmed. None at all is a value, too.
func UserAgent(s string) Value { return Value{strings.TrimSpace(s)} }

// Fingerprint is what a browser shows of itself, part by part in the caller's order. Each part carries its length, so that
// nothing moves from one part to the next unnoticed.
func Fingerprint(parts ...string) Value {
	var b strings.Builder
	for _, p := range parts {
		p = strings.TrimSpace(p)
		b.WriteString(strconv.Itoa(len(p)))
		b.WriteByte(':')
		b.WriteString(p)
	}
	return Value{b.String()}
}
