// Package locale is the language a guest reads: its tag, which of those offered to choose, and what its readers are used to.
package locale

import (
	"errors"
	"strings"

	"golang.org/x/text/language"
)

// ErrForm says why a tag is refused. It may be shown to callers, and never repeats the input.
var ErrForm = errors.New("not a BCP 47 tag of a language")

// maxLength is more than any tag of language, script and region needs. It bounds what is parsed.
const maxLength = 64

// dari is how browsers ask for the Persian of Afghanistan. The library's matcher takes it for a language of its own.
const dari = "prs"

// A Tag names a language as BCP 47 does, in its canonical form: language, script unless the registry calls it the usual
// one, region. Make it with Parse, or as a constant that Parse leaves as it is: tags are compared as they stand.
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

// Parse reads any spelling of a tag: "PRS", "fa-arab-af" and "fa-AF-u-nu-latn" are all fa-AF. Variants, extensions and
// private use are left out: nobody translates for them.
func Parse(s string) (Tag, error) {
	switch t := Tag(s); t {
	case Pashto, Dari, Persian, Urdu, Arabic, English:
		return t, nil // they are canonical, and nearly all that is ever read
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
		return "", ErrForm // und, root, x-private: they name no language
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

// UnmarshalText accepts what Parse does.
func (t *Tag) UnmarshalText(text []byte) error {
	read, err := Parse(string(text))
	if err != nil {
		return err
	}
	*t = read
	return nil
}

// Language is the tag without script and region: "fa" of fa-AF.
func (t Tag) Language() string {
	primary, _, _ := strings.Cut(string(t), "-")
	return primary
}

// parsed is the library's form, for its knowledge of likely scripts and regions.
func (t Tag) parsed() language.Tag { return language.Raw.Make(string(t)) }

func (t Tag) script() string {
	script, _ := t.parsed().Script()
	return script.String()
}

func (t Tag) region() string {
	region, _ := t.parsed().Region()
	return region.String()
}
