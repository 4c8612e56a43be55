package search

import (
	"slices"
	"time"

	"melmastoon.ghasi.io/shared/platform/cache"
)

// An Execution is an answered query.
type Execution struct {
	Presentation Presentation
	Query        Query // in normal form
	Page         Page
	Count        int // of all hotels found
	State        cache.State
	Took         time.Duration
	Shown        []Listing // on the page; nil for a map
	Order        Order     // the result that the page was cut from; zero for a map
}

// A Presentation is the form in which a search result is shown.
type Presentation string

// The presentations.
const (
	AsList Presentation = "list"
	AsMap  Presentation = "map"
)

// Execution describes the search for the history.
func (r Results) Execution(q Query, p Page, took time.Duration) Execution {
	return Execution{
		Presentation: AsList,
		Query:        q.Normal(),
		Page:         p,
		Count:        r.Total,
		State:        r.State,
		Took:         took,
		Shown:        r.found.Listings,
		Order:        r.order,
	}
}

// Execution describes the search for the history.
func (m MapResults) Execution(q Query, took time.Duration) Execution {
	return Execution{
		Presentation: AsMap,
		Query:        q.Normal(),
		Page:         Page{Limit: maxShown},
		Count:        m.Total,
		State:        m.State,
		Took:         took,
	}
}

// Place returns the searched place without typed text: the city's name comes from the hotels found there, and a box is
// extended to its cells, because its centre may be the visitor's location.
func (e Execution) Place() GeoQuery {
	g := e.Query.Geo
	g.City, _ = e.City()
	g.Region, g.Box = "", g.coarse()
	return g
}

// City returns the city and country of the shown hotels of a search by city name, or "" if they differ.
func (e Execution) City() (name, country string) {
	if e.Query.Geo.Mode != City {
		return "", ""
	}
	for i, l := range e.Shown {
		if i > 0 && (l.City != name || l.Country != country) {
			return "", ""
		}
		name, country = l.City, l.Country
	}
	return name, country
}

// FilterNames returns the names of the filters that were set. An amenity is included only if a hotel on the page has it.
func (e Execution) FilterNames() []string {
	names, f := []string{}, e.Query.Filters
	if f == nil {
		return names
	}
	for _, a := range f.Amenities {
		if slices.ContainsFunc(e.Shown, func(l Listing) bool { return slices.Contains(l.Amenities, a) }) {
			names = append(names, a)
		}
	}
	for _, filter := range []struct {
		name string
		set  bool
	}{
		{"price-range", f.Price != nil}, {"star-rating", len(f.Stars) > 0}, {"guest-rating", f.RatingMin > 0},
		{"property-type", len(f.Types) > 0}, {"cancellation-flexibility", f.Flexibility != ""}, {"neighbourhoods", len(f.Neighbourhoods) > 0},
	} {
		if filter.set {
			names = append(names, filter.name)
		}
	}
	return names
}
