// Package locale handles languages: their tags, content negotiation, and the conventions of their readers.
package locale

import (
	"errors"
	"strings"

	"golang.org/x/text/language"
)

// ErrForm is the error for an invalid tag. It may be shown to callers and does not contain the input.
var ErrForm = errors.New("not a BCP 47 tag of a language")

// maxLength bounds the input of Parse. No tag of language, script and region is that long.
const maxLength = 64

// dari is the tag that browsers send for the Persian of Afghanistan. The library treats it as a language of its own.
const dari = "prs"

// A Tag is a canonical BCP 47 tag: language, script unless the registry suppresses it, region. Make it with Parse, or as a
// constant in canonical form: tags are compared as strings.
type Tag string

// The platform's languages.
const (
	Pashto  Tag = "ps-AF"
	Dari    Tag = "fa-AF"
	Persian Tag = "fa-IR"
	Urdu    Tag = "ur-PK"
	Arabic  Tag = "ar-AE"
	English Tag = "en"
)

// Parse parses any spelling of a tag: "PRS", "fa-arab-af" and "fa-AF-u-nu-latn" all become fa-AF. It drops variants, extensions
// and private use, because there are no translations for them.
func Parse(s string) (Tag, error) {
	switch t := Tag(s); t {
	case Pashto, Dari, Persian, Urdu, Arabic, English:
		return t, nil // canonical already, and nearly all inputs
	}
	if len(s) > maxLength {
		return "", ErrForm
	}
	read, err := language.All.Parse(s)
	if err != nil {
		return "", ErrForm
	}
	base, script, region := read.Raw()
	if base == (language.Base{}) {
		return "", ErrForm // und, root and x-private name no language
	}
	parts := []any{base, script, region}
	if base.String() == dari {
		parts = []any{language.MustParseBase("fa"), script, language.MustParseRegion("AF")}
	}
	canonical, err := language.All.Compose(parts...)
	if err != nil {
		return "", ErrForm
	}
	return Tag(canonical.String()), nil
}

// UnmarshalText accepts the same texts as Parse.
func (t *Tag) UnmarshalText(text []byte) error {
	read, err := Parse(string(text))
	if err != nil {
		return err
	}
	*t = read
	return nil
}

// Language returns the tag without script and region: "fa" of fa-AF.
func (t Tag) Language() string {
	primary, _, _ := strings.Cut(string(t), "-")
	return primary
}

// parsed returns the library's form, which knows likely scripts and regions.
func (t Tag) parsed() language.Tag { return language.Raw.Make(string(t)) }

func (t Tag) script() string {
	script, _ := t.parsed().Script()
	return script.String()
}

func (t Tag) region() string {
	region, _ := t.parsed().Region()
	return region.String()
}
