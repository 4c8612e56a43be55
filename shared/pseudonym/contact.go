package pseudonym

import (
	"errors"
	"net/mail"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/idna"
	"golang.org/x/text/unicode/norm"
)

// The errors of invalid contact data. They may be shown to callers and do not contain the value.
var (
	ErrEmail = errors.New("not an e-mail address")
	ErrName  = errors.New("not a name")
)

// The limits of RFC 5321 in bytes, with its erratum, and that of a name in characters.
const (
	maxEmailLength = 254
	maxLocalLength = 64
	maxNameLength  = 100
)

// domains checks the labels of a domain as a registry does (IDNA 2008, UTS 46). It maps nothing, so that what is checked is what is
// stored.
var domains = idna.New(idna.ValidateForRegistration(), idna.VerifyDNSLength(true))

// Email returns the address of [Mailbox] in lower case.
func Email(s string) (Value, error) {
	address, err := Mailbox(s)
	return Value{folded(address)}, err
}

// folded returns a text in lower case and NFC.
func folded(s string) string { return norm.NFC.String(strings.ToLower(s)) }

// Mailbox returns an e-mail address as it is stored: in NFC, without outer white space. It accepts one mailbox of RFC 5321 with a domain of
// several labels. Local part and domain may be international (RFC 6531), the local part may be quoted. It does not check whether the
// address exists.
func Mailbox(s string) (string, error) {
	if !utf8.ValidString(s) {
		return "", ErrEmail // lower-casing would replace invalid bytes
	}
	s = strings.TrimSpace(norm.NFC.String(s))
	compared := folded(s)
	if max(len(s), len(compared)) > maxEmailLength || strings.ContainsFunc(s, func(r rune) bool { return r != ' ' && unprintable(r) }) {
		return "", ErrEmail
	}
	parsed, err := mail.ParseAddress(compared)
	if err != nil {
		return "", ErrEmail
	}
	at := strings.LastIndexByte(parsed.Address, '@')
	if !isLocal(strings.TrimSuffix(compared, parsed.Address[at:]), parsed.Address[:at]) || !isDomain(parsed.Address[at+1:]) {
		return "", ErrEmail
	}
	return s, nil
}

// isLocal reports whether the written text before the domain is only a local part. The parser also accepts names, brackets and comments
// around an address. Escaped characters and invisible ones are not accepted, because a mail program may read them otherwise.
func isLocal(written, parsed string) bool {
	if len(written) > maxLocalLength || escapes(written) {
		return false
	}
	if len(written) > 1 && strings.HasPrefix(written, `"`) && strings.HasSuffix(written, `"`) {
		return true
	}
	return written == parsed && !strings.ContainsFunc(written, func(r rune) bool {
		return r >= utf8.RuneSelf && !unicode.In(r, unicode.L, unicode.M, unicode.N) || hidden(r)
	})
}

// escapes reports whether a text contains the URL escape of a byte, such as %0A, also if it is escaped again.
func escapes(s string) bool {
	const hex = "0123456789abcdefABCDEF"
	for {
		_, after, found := strings.Cut(s, "%")
		if !found {
			return false
		}
		if len(after) > 1 && strings.IndexByte(hex, after[0]) >= 0 && strings.IndexByte(hex, after[1]) >= 0 {
			return true
		}
		s = after
	}
}

func isDomain(s string) bool {
	ascii, err := domains.ToASCII(s)
	return err == nil && strings.Contains(ascii, ".")
}

// Name returns a first or last name as it is stored: in NFC, without outer white space. It accepts the empty name, because many guests
// have one name, but see [HasLetter]. The joiners and direction marks of Persian and Urdu are allowed.
func Name(s string) (string, error) {
	const joiners = "\u200c\u200d\u200e\u200f"
	s = strings.TrimSpace(norm.NFC.String(s))
	if !utf8.ValidString(s) || utf8.RuneCountInString(s) > maxNameLength ||
		strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) && !strings.ContainsRune(joiners, r) }) {
		return "", ErrName
	}
	return s, nil
}

// HasLetter reports whether one of a guest's names has a visible letter. Marks, signs and the fillers of Hangul alone are no name.
func HasLetter(names ...string) bool {
	for _, name := range names {
		if strings.ContainsFunc(name, func(r rune) bool { return unicode.IsLetter(r) && !hidden(r) }) {
			return true
		}
	}
	return false
}

// hidden reports whether a printable character shows nothing, such as U+3164, which Unicode counts among the letters.
func hidden(r rune) bool {
	return unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}
