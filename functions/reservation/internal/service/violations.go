package service

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"melmastoon.ghasi.io/shared/fault"
)

// Violations collects the members of a request that are not valid.
type Violations []fault.Violation

// Refuse adds a member if it is bad.
func (v *Violations) Refuse(member, message string, bad bool) {
	if bad {
		*v = append(*v, fault.Violation{Pointer: "/" + member, Rule: "form", Message: message})
	}
}

// Err returns ErrValidation with all violations, or nil if there are none.
func (v Violations) Err() error {
	if len(v) == 0 {
		return nil
	}
	return fault.ErrValidation.With(v...)
}

// Printable reports whether a text has at most limit characters, all of them printable. Line breaks, tabs, joiners and
// direction marks are allowed, because Persian and Urdu need them.
func Printable(s string, limit int) bool {
	const hidden = "\n\r\t\u200c\u200d\u200e\u200f"
	return utf8.RuneCountInString(s) <= limit && !strings.ContainsFunc(s, func(r rune) bool {
		return !unicode.IsPrint(r) && !strings.ContainsRune(hidden, r)
	})
}

// OneOf decodes a text that must be one of the values.
func OneOf[T ~string](into *T, text []byte, all ...T) error {
	if !slices.Contains(all, T(text)) {
		return fmt.Errorf("is not one of %q", all)
	}
	*into = T(text)
	return nil
}
