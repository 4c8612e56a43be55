package search

import (
	"slices"
	"strings"
)

// A NamedPlace is the searched place by the name that the search service has for it, in English. Its members are empty if the
// search service does not know the place, or if several places match.
type NamedPlace struct {
	City    string `json:"city,omitzero"`
	Country string `json:"country,omitzero"`
}

// checked returns the place without members that do not have the form of a name.
func (p NamedPlace) checked() NamedPlace {
	if !isPlaceName(p.City) {
		p.City = ""
	}
	if len(p.Country) != 2 || strings.Trim(p.Country, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") != "" {
		p.Country = ""
	}
	return p
}

// The codes of amenities and types that events may contain. Another word in these filters may be text of a person.
var (
	amenityCodes = []string{"air-conditioning", "airport-shuttle", "beach", "bicycles", "breakfast", "concierge", "conference-room",
		"courtyard", "family-rooms", "garden", "generator", "gym", "halal-kitchen", "heating", "kitchen", "laundry", "parking", "pool",
		"prayer-room", "restaurant", "spa", "tea-house", "wifi", "women-only-area"}
	typeCodes = []string{"apartment", "guesthouse", "hostel", "hotel"}
)

// FilterKeys returns the filters of the query as words of a closed list: the code of each known amenity and property type, and
// the name of each other filter. All words outside the lists are one key, "amenities" or "property-type".
func (e Execution) FilterKeys() []string {
	keys, f := []string{}, e.Query.Filters
	if f == nil {
		return keys
	}
	keys = appendCodes(keys, f.Amenities, amenityCodes, "amenities")
	keys = appendCodes(keys, f.Types, typeCodes, "property-type")
	for _, filter := range []struct {
		name string
		set  bool
	}{
		{"price-range", f.Price != nil}, {"star-rating", len(f.Stars) > 0}, {"guest-rating", f.RatingMin > 0},
		{"cancellation-flexibility", f.Flexibility != ""}, {"neighbourhoods", len(f.Neighbourhoods) > 0},
	} {
		if filter.set {
			keys = append(keys, filter.name)
		}
	}
	return keys
}

// appendCodes appends the words that are in the list, and other if a word is not.
func appendCodes(keys, words, list []string, other string) []string {
	known := listed(words, list)
	keys = append(keys, known...)
	if len(known) < len(words) {
		keys = append(keys, other)
	}
	return keys
}

// Filters returns the filters of the query without words outside the closed lists and without neighbourhoods, which are typed.
func (e Execution) Filters() *Filters {
	if e.Query.Filters == nil {
		return nil
	}
	f := *e.Query.Filters
	f.Neighbourhoods = nil
	f.Amenities = listed(f.Amenities, amenityCodes)
	f.Types = listed(f.Types, typeCodes)
	return f.orNone()
}

// listed returns the words that are in the list.
func listed(words, list []string) (kept []string) {
	for _, w := range words {
		if slices.Contains(list, w) {
			kept = append(kept, w)
		}
	}
	return kept
}
