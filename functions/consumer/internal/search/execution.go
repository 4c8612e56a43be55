package search

import (
	"time"

	"melmastoon.ghasi.io/shared/platform/cache"
)

// An Execution is an answered query.
type Execution struct {
	Presentation Presentation
	Query        Query // in normal form
	Page         Page
	Count        int  // of all hotels found
	Cached       bool // the hotels were not asked for with this search
	Took         time.Duration
	Place        NamedPlace
	Order        Order // the result that the page was cut from; zero for a map
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
		Cached:       isCached(r.listed),
		Took:         took,
		Place:        r.found.Place.checked(),
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
		Cached:       isCached(m.listed),
		Took:         took,
		Place:        m.place.checked(),
	}
}

// isCached reports whether a value came from a cache, valid or not.
func isCached(s cache.State) bool { return s == cache.Hit || s == cache.Stale }

// Geo returns the searched place without typed text: the city has the search service's name, a region has none, and a box is
// extended to its cells, because its centre may be the visitor's location.
func (e Execution) Geo() GeoQuery {
	g := e.Query.Geo
	if g.Mode == City {
		g.City = e.Place.City
	}
	g.Region, g.Box = "", g.coarse()
	return g
}
