package booking

import (
	"regexp"
	"strings"
	"sync"
	"unicode"
)

// A Text is free text from a caller. Decoding scrubs it, so personal data is neither stored nor published.
type Text string

// UnmarshalText accepts any text and scrubs it.
func (t *Text) UnmarshalText(text []byte) error {
	*t = Text(Scrub(string(text)))
	return nil
}

// The patterns of Scrub. Telephone numbers have at least seven digits, cards at least thirteen, in any script. Ids of
// this platform, UUIDs, reservation codes and ISO dates also contain digits and are kept.
var (
	emailPattern  = lazyPattern(`[^\s@＠<>()"',;:]+[@＠][^\s@＠<>()"',;:]+`)
	numberPattern = lazyPattern(`(` + strings.Join([]string{
		`\b[a-z]+(?:_[a-z]+)*_[0-9A-HJKMNP-TV-Z]{26}\b`,
		`\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b`,
		`\bGM-[A-Z0-9]{6,8}\b`,
		`\b(?:19|20)\d\d-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])\b`,
	}, "|") + `)|[+(]*\p{Nd}(?:[^\p{L}\p{Nd},;:]{0,3}\p{Nd}){6,}`)
)

func lazyPattern(expression string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}

// Scrub removes e-mail addresses, telephone and card numbers, and control and bidi characters from a text. It is
// idempotent.
func Scrub(text string) string {
	text = strings.Map(shown, text)
	text = emailPattern().ReplaceAllString(text, "[email]")
	return numberPattern().ReplaceAllStringFunc(text, func(found string) string {
		if kept := numberPattern().FindStringSubmatch(found)[1]; kept == found {
			return found
		}
		return "[number]"
	})
}

// shown maps white space to a space, keeps printable characters and the joiners of Persian and Urdu, and drops the
// others.
func shown(r rune) rune {
	const joiners = "\u200c\u200d"
	switch {
	case unicode.IsSpace(r):
		return ' '
	case unicode.IsPrint(r) || strings.ContainsRune(joiners, r):
		return r
	}
	return -1
}
