// Package freetext removes contact and payment data from texts that people type. It knows patterns (decision 188) and not
// persons: names stay.
package freetext

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A Text is free text from a caller. Decoding scrubs it, so contact and payment data is neither stored nor published.
type Text string

// UnmarshalText accepts any text and scrubs it.
func (t *Text) UnmarshalText(text []byte) error {
	*t = Text(Scrub(string(text)))
	return nil
}

// The parts of the patterns. A digit is of any script, except in ids.
const (
	sign = `(?:[@＠﹫]|%(?:25)*40)` // %40 is the sign in a URL
	word = `[^\s@＠﹫<>()\[\]"',;:،؛؟۔]`
	// Years of the Gregorian, the solar and the lunar calendar begin with 19, 20, 13 or 14.
	year   = `(?:[1١۱][349٣٤٩۳۴۹]|[2٢۲][0٠۰])\p{Nd}\p{Nd}`
	month  = `[01٠١۰۱]?\p{Nd}`
	day    = `[0-3٠-٣۰-۳]?\p{Nd}`
	clock  = `T\d\d:\d\d(?::\d\d)?(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)?`
	date   = `(?:` + year + `[-/.]` + month + `[-/.]` + day + `(?:` + clock + `)?|` + day + `[-/.]` + month + `[-/.]` + year + `)`
	amount = `[1-9١-٩۱-۹](?:\p{Nd}{3,11}|\p{Nd}{0,2}(?:[ .]\p{Nd}{3}){1,3})(?:\.\p{Nd}{1,2})?`
	unit   = `(?:AFN|USD|EUR|GBP|IRR|PKR|INR|AED|[$€£؋₨₹]|افغانی|ریال|تومان|روپے|روپیه)`
)

// A number of seven or more digits is a telephone or card number, unless it is kept: ids of this platform, UUIDs, reservation codes,
// dates, and amounts with a currency. Commas and colons separate numbers.
var (
	emails  = regexp.MustCompile(word + `+(?:` + sign + word + `*)*` + sign + word + `*\p{L}[\p{L}\p{M}\p{N}]*`)
	numbers = regexp.MustCompile(`[+＋(]*\p{Nd}(?:[^\p{L}\p{Nd},;:،٬]{0,3}\p{Nd}){6,}`)
	kept    = regexp.MustCompile(`[a-z]+(?:_[a-z]+)*_[0-9A-HJKMNP-TV-Z]{26}|[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}|GM-[A-Z0-9]{6,8}|` +
		date + `(?: ?[-–/] ?` + date + `)?|` + unit + ` ?` + amount + `|` + amount + ` ?` + unit)
	reach = regexp.MustCompile(`(?i)` + sign + `|(?:[+＋]|%(?:25)*2B|(?:^|\P{Nd})[0٠۰０])(?:[\s().-]{0,2}\p{Nd}){8}|\p{Nd}(?:[ -]?\p{Nd}){12}`)
)

// Reaches reports whether a text, such as the name of a campaign, contains an e-mail address, a telephone number with a prefix, or
// a card number. Unlike Scrub it admits ids of up to twelve digits.
func Reaches(text string) bool { return reach.MatchString(text) }

// Scrub replaces e-mail addresses by [email], card numbers by [card], and telephone and other long numbers by [number]. It drops
// control and bidi characters. Scrubbing again changes nothing.
func Scrub(text string) string {
	text = strings.Map(shown, text)
	for {
		next := scrubNumbers(emails.ReplaceAllString(text, "[email]"))
		if next == text {
			return text
		}
		text = next
	}
}

func scrubNumbers(text string) string {
	var b strings.Builder
	done := 0
	for _, span := range kept.FindAllStringIndex(text, -1) {
		if stands(text[:span[0]], text[span[1]:]) {
			b.WriteString(numbers.ReplaceAllStringFunc(text[done:span[0]], mark))
			b.WriteString(text[span[0]:span[1]])
			done = span[1]
		}
	}
	b.WriteString(numbers.ReplaceAllStringFunc(text[done:], mark))
	return b.String()
}

// stands reports whether a part stands alone between its neighbours. Otherwise it is a piece of a longer number or word.
func stands(before, after string) bool {
	const joints = "-./+"
	last, _ := utf8.DecodeLastRuneInString(before)
	first, _ := utf8.DecodeRuneInString(after)
	further, _ := utf8.DecodeLastRuneInString(strings.TrimRight(before, joints))
	next, _ := utf8.DecodeRuneInString(strings.TrimLeft(after, joints))
	return !unicode.IsLetter(last) && !unicode.IsLetter(first) && !unicode.IsDigit(further) && !unicode.IsDigit(next) && last != '+'
}

// mark returns the replacement of a long number. A list of rooms stays: ascending numbers of equal length on one floor.
func mark(number string) string {
	if isCard(number) {
		return "[card]"
	}
	rooms := strings.FieldsFunc(number, func(r rune) bool { return !unicode.IsDigit(r) })
	for i, room := range rooms {
		n := utf8.RuneCountInString(room)
		if n < 3 || n > 4 || len(room) != len(rooms[0]) || i > 0 && room <= rooms[i-1] || !strings.HasPrefix(room, string([]rune(rooms[0])[:n-2])) {
			return "[number]"
		}
	}
	return number
}

// isCard reports whether a text has the digits of a card: 13 to 19, of which the last is the check digit of Luhn's algorithm (ISO 7812).
func isCard(text string) bool {
	n, sum := 0, 0
	for _, r := range slices.Backward([]rune(text)) {
		for _, zero := range "0٠۰０" {
			if digit := int(r - zero); digit >= 0 && digit <= 9 {
				n, sum = n+1, sum+digit+n%2*(digit-digit/5*9)
			}
		}
	}
	return n >= 13 && n <= 19 && sum%10 == 0
}

// shown maps white space to a space, keeps printable characters and the joiners of Persian and Urdu, and drops the others.
func shown(r rune) rune {
	switch {
	case unicode.IsSpace(r):
		return ' '
	case unicode.IsPrint(r) || r == '\u200c' || r == '\u200d':
		return r
	}
	return -1
}
