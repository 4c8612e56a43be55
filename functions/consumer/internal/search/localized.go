package search

import (
	"melmastoon.ghasi.io/shared/locale"
)

// A LocalizedString is a text in all its languages, with the text to display to this visitor.
type LocalizedString struct {
	Default   string            `json:"default"`
	Localized map[string]string `json:"localized,omitempty"`
	Display   string            `json:"display"`
}

func localized(t locale.Text, l locale.Tag) LocalizedString {
	return LocalizedString{Default: t.Default, Localized: t.Localized, Display: t.In(l)}
}
