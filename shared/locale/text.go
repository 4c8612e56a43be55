package locale

// A Text is in several languages, by their tags.
type Text struct {
	Default   string            `json:"default"` // as it was written first
	Localized map[string]string `json:"localized"`
}

// In is the text in a language, or as it was written first.
func (t Text) In(l Tag) string { return Among(t.Localized, l, t.Default) }

// Among is what is said for the very tag, else for its language, else otherwise. What is empty is not said.
func Among[T comparable](said map[string]T, l Tag, otherwise T) T {
	var nothing T
	for _, tag := range []string{string(l), l.Language()} {
		if v := said[tag]; v != nothing {
			return v
		}
	}
	return otherwise
}
