package search

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/go-json-experiment/json"

	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/platform/fn"
)

// Filters restricts a search to hotels with these properties.
type Filters struct {
	Price          *PriceRange `json:"priceRange,omitzero"`
	Amenities      []string    `json:"amenities,omitempty"`
	Stars          []int       `json:"starRating,omitempty"`
	RatingMin      float64     `json:"guestRatingMin,omitzero"`
	Types          []string    `json:"propertyType,omitempty"`
	Flexibility    Flexibility `json:"cancellationFlexibility,omitzero"`
	Neighbourhoods []string    `json:"neighbourhoods,omitempty"`
}

// A PriceRange is the price range of a room per night, in main units as guests type them. It is not used in calculations.
type PriceRange struct {
	Min      float64        `json:"min"`
	Max      float64        `json:"max"`
	Currency money.Currency `json:"currency"`
}

// A Flexibility is the required cancellation policy.
type Flexibility string

// UnmarshalText rejects unknown values.
func (f *Flexibility) UnmarshalText(text []byte) error {
	switch read := Flexibility(text); read {
	case "free", "partial", "any":
		*f = read
		return nil
	}
	return errors.New("is not one of free, partial and any")
}

// A SortKey is the sort order of a list of hotels.
type SortKey string

// The keys.
const (
	Recommended SortKey = "recommended"
	PriceAsc    SortKey = "price-asc"
	PriceDesc   SortKey = "price-desc"
	RatingDesc  SortKey = "rating-desc"
	DistanceAsc SortKey = "distance-asc"
)

// UnmarshalText rejects unknown keys.
func (k *SortKey) UnmarshalText(text []byte) error {
	switch read := SortKey(text); read {
	case Recommended, PriceAsc, PriceDesc, RatingDesc, DistanceAsc:
		*k = read
		return nil
	}
	return errors.New("is not a sort key")
}

// A Page is a section of a search result.
type Page struct {
	Limit  int `json:"limit"`
	Offset int `json:"offset"`
}

const (
	maxListings  = 50 // on a page
	maxOffset    = 10_000
	defaultLimit = 20
)

// MaxPosition is the maximum position of a hotel in a list: the end of the last page.
const MaxPosition = maxOffset + maxListings

// A PageRequest is the page in a request; the default is the first page.
type PageRequest struct {
	Limit  fn.Maybe[int] `json:"limit"`
	Offset fn.Maybe[int] `json:"offset"`
}

// Page returns the page with defaults applied.
func (p PageRequest) Page() Page { return Page{p.Limit.Or(defaultLimit), p.Offset.Or(0)} }

// CountedPage is a page with the total number of results.
type CountedPage struct {
	Page
	Total int `json:"total"`
}

// A Query is a search query without the page.
type Query struct {
	Geo       GeoQuery  `json:"geo"`
	Dates     DateRange `json:"dates"`
	Occupancy Occupancy `json:"occupancy"`
	Filters   *Filters  `json:"filters,omitzero"`
	Sort      SortKey   `json:"sortKey,omitzero"`
}

// CheckOn rejects a query or page that is invalid at that time.
func (q Query) CheckOn(p Page, now time.Time) error {
	wrong := q.check(now)
	if p.Limit < 1 || p.Limit > maxListings {
		wrong = append(wrong, violation("/page/limit", "range", fmt.Sprintf("Must be 1 to %d.", maxListings)))
	}
	if p.Offset < 0 || p.Offset > maxOffset {
		wrong = append(wrong, violation("/page/offset", "range", fmt.Sprintf("Must be 0 to %d.", maxOffset)))
	}
	return validationError(wrong...)
}

// CheckOnMap rejects a query that has no bounding box or is invalid at that time.
func (q Query) CheckOnMap(spotlight Highlights, now time.Time) error {
	wrong := q.check(now)
	if q.Geo.Mode != Box {
		wrong = append(wrong, violation("/geo/mode", "box", "Must be boundingBox on this route."))
	}
	if len(spotlight) > maxHighlighted {
		wrong = append(wrong, violation("/spotlight", "count", fmt.Sprintf("Must name at most %d hotels.", maxHighlighted)))
	}
	return validationError(wrong...)
}

func (q Query) check(now time.Time) []fault.Violation {
	wrong := slices.Concat(q.Geo.Check("/geo"), q.Dates.Check("/dates", now), q.Occupancy.Check("/occupancy"))
	if q.Filters != nil {
		wrong = append(wrong, q.Filters.check("/filters")...)
	}
	return wrong
}

const (
	maxWords      = 20 // of each filter
	maxWordLength = 40 // characters of a word such as halal-kitchen
	maxStars      = 5
	bestRating    = 5
	maxPrice      = 1e12 // main units
)

func (f *Filters) check(at string) (wrong []fault.Violation) {
	if p := f.Price; p != nil && (p.Min < 0 || p.Max < p.Min || p.Max > maxPrice) {
		wrong = append(wrong, violation(at+"/priceRange", "range", "Must have a maximum that is not below the minimum."))
	}
	if f.RatingMin < 0 || f.RatingMin > bestRating {
		wrong = append(wrong, violation(at+"/guestRatingMin", "range", fmt.Sprintf("Must be 0 to %d.", bestRating)))
	}
	if len(f.Stars) > maxStars || slices.ContainsFunc(f.Stars, func(n int) bool { return n < 1 || n > maxStars }) {
		wrong = append(wrong, violation(at+"/starRating", "range", fmt.Sprintf("Must be 1 to %d stars.", maxStars)))
	}
	for name, words := range map[string][]string{"amenities": f.Amenities, "propertyType": f.Types} {
		if len(words) > maxWords || !all(words, isWord) {
			wrong = append(wrong, violation(at+"/"+name, "form", "Must be a short list of words such as halal-kitchen."))
		}
	}
	if len(f.Neighbourhoods) > maxWords || !all(f.Neighbourhoods, func(s string) bool { return isPlaceName(s) && !isBlank(s) }) {
		wrong = append(wrong, violation(at+"/neighbourhoods", "form", placeNameMessage))
	}
	return wrong
}

var placeNameMessage = fmt.Sprintf("Must be one line of 1 to %d characters.", maxNameLength)

// isBlank reports whether a text has no visible character.
func isBlank(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsSpace(r) && !isJoiner(r) })
}

// isPlaceName reports whether a text is valid as a place's name.
func isPlaceName(s string) bool {
	return utf8.RuneCountInString(s) <= maxNameLength && !strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsGraphic(r) && !isJoiner(r) })
}

// isJoiner reports whether a character is a zero-width joiner or non-joiner, which Persian and related languages use in words.
func isJoiner(r rune) bool { return r == '\u200c' || r == '\u200d' }

// isWord reports whether a text has the form of a code such as halal-kitchen.
func isWord(s string) bool {
	return s != "" && len(s) <= maxWordLength && !strings.ContainsFunc(s, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9') && r != '-'
	})
}

func all(texts []string, is func(string) bool) bool {
	return !slices.ContainsFunc(texts, func(s string) bool { return !is(s) })
}

// Normal returns the canonical form of the query, which is the same for all equivalent queries.
func (q Query) Normal() Query {
	q.Geo.City, q.Geo.Region = tidy(q.Geo.City), tidy(q.Geo.Region)
	if q.Geo.Point != nil {
		q.Geo.Point = q.Geo.Point.rounded()
	}
	q.Occupancy.ChildrenAges = slices.Sorted(slices.Values(q.Occupancy.ChildrenAges))
	if q.Sort == "" {
		q.Sort = Recommended
	}
	if q.Filters != nil {
		f := *q.Filters
		f.Amenities, f.Types, f.Stars = sorted(f.Amenities), sorted(f.Types), sorted(f.Stars)
		f.Neighbourhoods = slices.Clone(f.Neighbourhoods)
		for i, n := range f.Neighbourhoods {
			f.Neighbourhoods[i] = tidy(n)
		}
		f.Neighbourhoods = sorted(f.Neighbourhoods)
		q.Filters = f.orNone()
	}
	return q
}

// orNone returns the filters, or nil if no filter is set.
func (f Filters) orNone() *Filters {
	if f.Flexibility == "any" {
		f.Flexibility = ""
	}
	if f.Price == nil && f.RatingMin == 0 && f.Flexibility == "" && len(f.Amenities)+len(f.Stars)+len(f.Types)+len(f.Neighbourhoods) == 0 {
		return nil
	}
	return &f
}

// tidy trims a text and collapses white space to single spaces.
func tidy(s string) string { return strings.Join(strings.Fields(s), " ") }

func sorted[T string | int](list []T) []T { return slices.Compact(slices.Sorted(slices.Values(list))) }

// Identity returns a text that identifies a normal query. It ignores sort order, case, and differences of boxes with the same
// cells.
func (q Query) Identity() string {
	q = q.folded()
	q.Sort, q.Geo.Box = "", q.Geo.coarse()
	return canonicalJSON(q)
}

// folded returns the query with the names of its place in lower case. The search service ignores their case.
func (q Query) folded() Query {
	q.Geo.City, q.Geo.Region = strings.ToLower(q.Geo.City), strings.ToLower(q.Geo.Region)
	q.Filters = q.Filters.folded()
	return q
}

// folded returns the filters with neighbourhoods in lower case.
func (f *Filters) folded() *Filters {
	if f == nil || len(f.Neighbourhoods) == 0 {
		return f
	}
	lower := *f
	lower.Neighbourhoods = make([]string, len(f.Neighbourhoods))
	for i, n := range f.Neighbourhoods {
		lower.Neighbourhoods[i] = strings.ToLower(n)
	}
	lower.Neighbourhoods = sorted(lower.Neighbourhoods)
	return &lower
}

// canonicalJSON returns a value as deterministic JSON, for hashing.
func canonicalJSON(v any) string {
	text, _ := json.Marshal(v, json.Deterministic(true)) // of values that were decoded from JSON themselves
	return string(text)
}
