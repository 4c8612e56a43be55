package search

import (
	"fmt"
	"slices"

	"melmastoon.ghasi.io/functions/demo/sandbox/internal/standin"
	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/stay"
)

// A Query is a search: area, stay, party and filters.
type Query struct {
	Where   Where
	Dates   Dates
	Party   Travellers
	Filters Filters
}

// Dates are the nights of a stay.
type Dates struct {
	CheckIn  stay.Date `json:"checkIn"`
	CheckOut stay.Date `json:"checkOut"`
}

func (d Dates) window() stay.Window { return stay.Window{Start: d.CheckIn, End: d.CheckOut} }

// Validate rejects an impossible stay.
func (d Dates) Validate() error {
	if err := d.window().Validate(); err != nil {
		return standin.Refuse("/dates/checkOut", "stay", err.Error())
	}
	return nil
}

// Travellers are a Party as travellers' pages send it.
type Travellers struct {
	Adults   int   `json:"adults"`
	Children int   `json:"children"`
	Rooms    int   `json:"rooms"`
	Ages     []int `json:"childrenAges,omitzero"` // one per child, optional; prices do not depend on them
}

// Party returns the party for pricing.
func (o Travellers) Party() standin.Party {
	return standin.Party{Adults: o.Adults, Children: o.Children, Rooms: o.Rooms}
}

// Validate rejects a party that cannot be spread over its rooms, and ages that do not match the children.
func (o Travellers) Validate() error {
	if o.Ages != nil && len(o.Ages) != o.Children {
		return standin.Refuse("/occupancy/childrenAges", "count", "Tell the age of each child or of none.")
	}
	if err := o.Party().Validate(); err != nil {
		return standin.Refuse("/occupancy", "party", err.Error())
	}
	return nil
}

// Filters are conditions on a hotel. Absent filters match every hotel.
type Filters struct {
	Price          *PriceRange `json:"priceRange,omitzero"`
	Amenities      []string    `json:"amenities,omitzero"`  // all of them
	Stars          []int       `json:"starRating,omitzero"` // one of them
	Rating         float64     `json:"guestRatingMin,omitzero"`
	Types          []string    `json:"propertyType,omitzero"` // one of them
	Flexibility    string      `json:"cancellationFlexibility,omitzero"`
	Neighbourhoods []string    `json:"neighbourhoods,omitzero"` // one of them
}

// A PriceRange bounds the average price of one room per night, without taxes and fees, in main units of its currency.
type PriceRange struct {
	Min      float64        `json:"min"`
	Max      float64        `json:"max"`
	Currency money.Currency `json:"currency"`
}

const (
	maxFiltered  = 50   // of one kind
	maxStars     = 5    // of a hotel
	bestRating   = 5    // that a guest can give
	dearestNight = 1e12 // main units: larger amounts overflow micro units of a stay
)

// flexibilities are the levels of free cancellation: still free of charge, or at less than the whole price.
var flexibilities = []string{"", "any", "free", "partial"}

// Validate rejects impossible filters.
func (f Filters) Validate() error {
	if p := f.Price; p != nil && !(p.Min >= 0 && p.Max >= p.Min && p.Max <= dearestNight) {
		return standin.Refuse("/filters/priceRange", "range", "Must have a minimum of 0 or more and a maximum not below the minimum.")
	}
	if !(f.Rating >= 0 && f.Rating <= bestRating) {
		return standin.Refuse("/filters/guestRatingMin", "range", "Guests rate from 0 to 5.")
	}
	if slices.ContainsFunc(f.Stars, func(n int) bool { return n < 1 || n > maxStars }) {
		return standin.Refuse("/filters/starRating", "range", "Hotels have 1 to 5 stars.")
	}
	if !slices.Contains(flexibilities, f.Flexibility) {
		return standin.Refuse("/filters/cancellationFlexibility", "known", "Must be free, partial or any.")
	}
	if slices.ContainsFunc(f.Neighbourhoods, tooLong) {
		return standin.Refuse("/filters/neighbourhoods", "length", overlong)
	}
	for name, n := range map[string]int{"amenities": len(f.Amenities), "starRating": len(f.Stars),
		"propertyType": len(f.Types), "neighbourhoods": len(f.Neighbourhoods)} {
		if n > maxFiltered {
			return standin.Refuse("/filters/"+name, "count", fmt.Sprintf("Name at most %d.", maxFiltered))
		}
	}
	return nil
}

// Validate rejects an impossible area, stay or party.
func (q Query) Validate() error {
	if err := q.Where.Validate(); err != nil {
		return err
	}
	if err := q.Dates.Validate(); err != nil {
		return err
	}
	if err := q.Party.Validate(); err != nil {
		return err
	}
	return q.Filters.Validate()
}

// A Sort is the order of results.
type Sort string

// The orders. Hotels that are equal in one are ordered by id, so that pages are consistent.
const (
	Recommended Sort = "recommended" // by rating and clicks
	PriceUp     Sort = "price-asc"
	PriceDown   Sort = "price-desc"
	RatingDown  Sort = "rating-desc"
	DistanceUp  Sort = "distance-asc" // from the point, the centre of the box, or the centre of the hotel's city
)

// Known reports whether the order exists.
func (s Sort) Known() bool {
	return slices.Contains([]Sort{Recommended, PriceUp, PriceDown, RatingDown, DistanceUp}, s)
}

// priced reports whether this order needs prices.
func (s Sort) priced() bool { return s == PriceUp || s == PriceDown }
