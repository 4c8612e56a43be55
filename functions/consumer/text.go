package consumer

import (
	"melmastoon.ghasi.io/shared/locale"
)

// A Text is in several languages, by their tags.
type Text struct {
	Default   string            `json:"default"`
	Localized map[string]string `json:"localized"`
}

// In is the text in a language, or as it was written first.
func (t Text) In(l locale.Tag) string {
	for _, tag := range []string{string(l), l.Language()} {
		if said, ok := t.Localized[tag]; ok && said != "" {
			return said
		}
	}
	return t.Default
}

// A LocalizedString is a text in all its languages, and as it is shown to this visitor.
type LocalizedString struct {
	Default   string            `json:"default"`
	Localized map[string]string `json:"localized,omitempty"`
	Display   string            `json:"display"`
}

func (t Text) show(l locale.Tag) LocalizedString {
	return LocalizedString{t.Default, t.Localized, t.In(l)}
}
