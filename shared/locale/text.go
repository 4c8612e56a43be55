package locale

// A Text is a text in several languages.
type Text struct {
	Default   string            `json:"default"` // the original text
	Localized map[string]string `json:"localized"`
}

// In returns the text in a language, or the Default if there is no translation.
func (t Text) In(l Tag) string { return Among(t.Localized, l, t.Default) }

// Among returns texts[l], or else the entry of l's language without its region, or else otherwise. A zero entry counts as
// missing.
func Among[T comparable](texts map[string]T, l Tag, otherwise T) T {
	var nothing T
	for _, tag := range []string{string(l), l.Language()} {
		if v := texts[tag]; v != nothing {
			return v
		}
	}
	return otherwise
}
