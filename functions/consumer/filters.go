package consumer

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

// Filters are what a guest wants of a hotel.
type Filters struct {
	Price          *PriceRange `json:"priceRange,omitzero"`
	Amenities      []string    `json:"amenities,omitempty"`
	Stars          []int       `json:"starRating,omitempty"`
	RatingMin      float64     `json:"guestRatingMin,omitzero"`
	Types          []string    `json:"propertyType,omitempty"`
	Flexibility    Flexibility `json:"cancellationFlexibility,omitzero"`
	Neighbourhoods []string    `json:"neighbourhoods,omitempty"`
}

// A PriceRange is what a room may cost for a night, in main units: it is what guests type, and nobody counts with it.
type PriceRange struct {
	Min      float64        `json:"min"`
	Max      float64        `json:"max"`
	Currency money.Currency `json:"currency"`
}

// A Flexibility is how freely a guest wants to be able to cancel.
type Flexibility string

// UnmarshalText refuses a word that does not exist.
func (f *Flexibility) UnmarshalText(text []byte) error {
	switch read := Flexibility(text); read {
	case "free", "partial", "any":
		*f = read
		return nil
	}
	return errors.New("is not one of free, partial and any")
}

// A SortKey says which hotels come first.
type SortKey string

// The keys.
const (
	Recommended SortKey = "recommended"
	PriceAsc    SortKey = "price-asc"
	PriceDesc   SortKey = "price-desc"
	RatingDesc  SortKey = "rating-desc"
	DistanceAsc SortKey = "distance-asc"
)

// UnmarshalText refuses a key that does not exist.
func (k *SortKey) UnmarshalText(text []byte) error {
	switch read := SortKey(text); read {
	case Recommended, PriceAsc, PriceDesc, RatingDesc, DistanceAsc:
		*k = read
		return nil
	}
	return errors.New("is not an order of hotels")
}

// A Page is a part of what was found.
type Page struct {
	Limit  int `json:"limit"`
	Offset int `json:"offset"`
}

const (
	maxListings = 50 // on a page
	maxOffset   = 10_000
	usualPage   = 20
)

// A Part is a page as a request names it: the first, where nothing is said.
type Part struct {
	Limit  fn.Maybe[int] `json:"limit"`
	Offset fn.Maybe[int] `json:"offset"`
}

// Page is the page that is meant.
func (p Part) Page() Page { return Page{p.Limit.Or(usualPage), p.Offset.Or(0)} }

// Counted is a page and how many there are on all pages.
type Counted struct {
	Page
	Total int `json:"total"`
}

// A Query is what a guest looks for, apart from the page.
type Query struct {
	Geo       GeoQuery  `json:"geo"`
	Dates     DateRange `json:"dates"`
	Occupancy Occupancy `json:"occupancy"`
	Filters   *Filters  `json:"filters,omitzero"`
	Sort      SortKey   `json:"sortKey,omitzero"`
}

// CheckOn refuses a query, or a page of what it finds, that nobody can mean at that moment.
func (q Query) CheckOn(p Page, now time.Time) error {
	wrong := q.check(now)
	if p.Limit < 1 || p.Limit > maxListings {
		wrong = append(wrong, broken("/page/limit", "range", fmt.Sprintf("Must be 1 to %d.", maxListings)))
	}
	if p.Offset < 0 || p.Offset > maxOffset {
		wrong = append(wrong, broken("/page/offset", "range", fmt.Sprintf("Must be 0 to %d.", maxOffset)))
	}
	return refuse(wrong...)
}

// CheckOnMap refuses a query that is of no map, or that nobody can mean at that moment.
func (q Query) CheckOnMap(lit Highlights, now time.Time) error {
	wrong := q.check(now)
	if q.Geo.Mode != Box {
		wrong = append(wrong, broken("/geo/mode", "box", "Must be boundingBox on this route."))
	}
	if len(lit) > maxHighlighted {
		wrong = append(wrong, broken("/spotlight", "count", fmt.Sprintf("Must name at most %d hotels.", maxHighlighted)))
	}
	return refuse(wrong...)
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
	dearest       = 1e12 // main units: no hotel is
)

func (f *Filters) check(at string) (wrong []fault.Violation) {
	if p := f.Price; p != nil && (p.Min < 0 || p.Max < p.Min || p.Max > dearest) {
		wrong = append(wrong, broken(at+"/priceRange", "range", "Must have a maximum that is not below the minimum."))
	}
	if f.RatingMin < 0 || f.RatingMin > bestRating {
		wrong = append(wrong, broken(at+"/guestRatingMin", "range", fmt.Sprintf("Must be 0 to %d.", bestRating)))
	}
	if len(f.Stars) > maxStars || slices.ContainsFunc(f.Stars, func(n int) bool { return n < 1 || n > maxStars }) {
		wrong = append(wrong, broken(at+"/starRating", "range", fmt.Sprintf("Must be 1 to %d stars.", maxStars)))
	}
	for name, words := range map[string][]string{"amenities": f.Amenities, "propertyType": f.Types} {
		if len(words) > maxWords || !all(words, isWord) {
			wrong = append(wrong, broken(at+"/"+name, "form", "Must be a short list of words such as halal-kitchen."))
		}
	}
	if len(f.Neighbourhoods) > maxWords || !all(f.Neighbourhoods, named) {
		wrong = append(wrong, broken(at+"/neighbourhoods", "form", misnamed))
	}
	return wrong
}

const misnamed = "Must be one line of at most 80 characters."

// named reports whether a text can be a place's name.
func named(s string) bool {
	return utf8.RuneCountInString(s) <= maxNameLength && !strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsGraphic(r) && !joins(r) })
}

// joins reports whether a character is one of those that put words of Persian and its neighbours together.
func joins(r rune) bool { return r == '\u200c' || r == '\u200d' }

// isWord reports whether a text is one of those that hotels are described with.
func isWord(s string) bool {
	return s != "" && len(s) <= maxWordLength && !strings.ContainsFunc(s, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9') && r != '-'
	})
}

func all(texts []string, is func(string) bool) bool {
	return !slices.ContainsFunc(texts, func(s string) bool { return !is(s) })
}

// Normal is the query in the one spelling of all that ask for the same.
func (q Query) Normal() Query {
	q.Geo.City, q.Geo.Region = tidy(q.Geo.City), tidy(q.Geo.Region)
	if q.Geo.Point != nil {
		q.Geo.Point = q.Geo.Point.rounded()
	}
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

// orNone is nil where nothing is wanted.
func (f Filters) orNone() *Filters {
	if f.Flexibility == "any" {
		f.Flexibility = ""
	}
	if f.Price == nil && f.RatingMin == 0 && f.Flexibility == "" && len(f.Amenities)+len(f.Stars)+len(f.Types)+len(f.Neighbourhoods) == 0 {
		return nil
	}
	return &f
}

// tidy is a text with single spaces and none around it.
func tidy(s string) string { return strings.Join(strings.Fields(s), " ") }

func sorted[T string | int](list []T) []T { return slices.Compact(slices.Sorted(slices.Values(list))) }

// text is what a normal query says, for telling it from others. Neither the order of the hotels nor upper and lower case
// make another query, nor does a box of the same cells.
func (q Query) text() string {
	q.Sort, q.Geo.City, q.Geo.Region = "", strings.ToLower(q.Geo.City), strings.ToLower(q.Geo.Region)
	q.Geo.Box = q.Geo.coarse()
	if q.Filters != nil {
		f := *q.Filters
		f.Neighbourhoods = slices.Clone(f.Neighbourhoods)
		for i, n := range f.Neighbourhoods {
			f.Neighbourhoods[i] = strings.ToLower(n)
		}
		q.Filters = &f
	}
	return spelled(q)
}

// spelled is a value as text: equal values have equal texts. It is only ever hashed.
func spelled(v any) string {
	text, _ := json.Marshal(v, json.Deterministic(true)) // of values that were decoded from JSON themselves
	return string(text)
}
