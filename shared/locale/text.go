package locale

// A Text is in several languages, by their tags.
type Text struct {
	Default   string            `json:"default"` // as it was written first
	Localized map[string]string `json:"localized"`
}

// In is the text in a language, the Default where it has none in that.
func (t Text) In(l Tag) string { return Among(t.Localized, l, t.Default) }

// Among returns said[l], else the entry of l's language without its region, else otherwise. An entry that is the zero T counts
// as missing.
func Among[T comparable](said map[string]T, l Tag, otherwise T) T {
	var nothing T
	for _, tag := range []string{string(l), l.Language()} {
		if v := said[tag]; v != nothing {
			return v
		}
	}
	return otherwise
}
