package consumer

import (
	"context"
	"slices"
	"time"

	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/locale"
	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/platform/cache"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/secrets"
	"melmastoon.ghasi.io/shared/pseudonym"
)

// A History records searches and viewed hotels in the visitor's session, and publishes searches. Events contain no typed text:
// places and filter words are published only if the found hotels have them.
type History struct {
	sessions *Sessions
	voice    *Publisher
	peppers  pseudonym.Peppers
}

// OpenDiary opens the sessions and the publisher.
func OpenDiary(e env.Env) (*History, error) {
	sessions, err := OpenSessions(e)
	if err != nil {
		return nil, err
	}
	peppers, err := secrets.Peppers(e)
	return &History{sessions: sessions, voice: OpenPublisher(e), peppers: peppers}, err
}

// searchLife is the lifetime of a search session: the same query within it continues the search session.
const searchLife = time.Hour

// A Search is an answered query.
type Search struct {
	Kind  SearchKind
	Query Query
	Page  Page
	Count int // of all hotels found
	State cache.State
	Took  time.Duration
	Shown []Listing // on the page; nil for a map
	Order Order     // the result that the page was cut from; zero for a map
}

// A SearchKind is the presentation of a search result.
type SearchKind string

// The kinds.
const (
	AsList SearchKind = "list"
	AsMap  SearchKind = "map"
)

// Executed returns the list as a [Search] for the history.
func (r Results) Executed(q Query, p Page, took time.Duration) Search {
	return Search{
		Kind:  AsList,
		Query: q.Normal(),
		Page:  p,
		Count: r.Total,
		State: r.State,
		Took:  took,
		Shown: r.found.Listings,
		Order: r.order,
	}
}

// Executed returns the map as a [Search] for the history.
func (m Marked) Executed(q Query, took time.Duration) Search {
	return Search{
		Kind:  AsMap,
		Query: q.Normal(),
		Page:  Page{Limit: maxShown},
		Count: m.Total,
		State: m.State,
		Took:  took,
		Shown: nil,
		Order: Order{},
	}
}

// Order returns the result that the visitor pages through, or zero if they have not made that query in the last hour.
func (d *History) Order(v Visitor, q Query, now time.Time) Order {
	entry, _ := v.Session.searching(d.hash(q.Normal()), now)
	return entry.Order
}

// hash returns a peppered hash of the query: a plain hash of typed text could be reversed by guessing.
func (d *History) hash(q Query) string {
	return string(d.peppers.Hash(pseudonym.Fingerprint(q.text())))
}

// Searched records and publishes a search and returns its search session: the one of the same query less than an hour ago, or
// a new one. Errors do not fail the request.
func (d *History) Searched(ctx context.Context, v Visitor, s Search, now time.Time) id.SearchSession {
	hash := d.hash(s.Query)
	entry, going := v.Session.searching(hash, now)
	if !going {
		entry = SearchHistory{
			Search:     id.New[id.SearchSession](),
			QueryHash:  hash,
			Geo:        s.place(),
			Dates:      s.Query.Dates,
			Occupancy:  s.Query.Occupancy,
			ExecutedAt: now,
			Order:      s.Order,
		}
	}
	if kept := !v.Session.passing; kept && (!going || s.Order != (Order{}) && s.Order != entry.Order) {
		_, _ = d.sessions.Change(ctx, v.Session.ID, func(kept *Session) {
			if other, going := kept.searching(hash, now); going {
				entry = other // another tab may have recorded the query first
				kept.follow(hash, s.Order)
				return
			}
			kept.Searched(entry)
		})
	}
	_ = d.voice.Publish(ctx, v.Session, v.Event(SearchExecutedV1, s.payload(v, entry)))
	return entry.Search
}

// searching returns the active search session of the same query, if there is one.
func (s Session) searching(hash string, now time.Time) (SearchHistory, bool) {
	for _, h := range s.SearchHistory {
		if h.QueryHash == hash && now.Before(h.ExecutedAt.Add(searchLife)) {
			return h, true
		}
	}
	return SearchHistory{}, false
}

// goesOn reports whether a search session belongs to this session and has not expired.
func (s Session) goesOn(search id.SearchSession, now time.Time) bool {
	return slices.ContainsFunc(s.SearchHistory, func(h SearchHistory) bool {
		return h.Search == search && now.Before(h.ExecutedAt.Add(searchLife))
	})
}

// Viewed records that the visitor viewed a hotel.
func (d *History) Viewed(ctx context.Context, v Visitor, seen RecentlyViewed) {
	if !v.Session.passing {
		_, _ = d.sessions.Change(ctx, v.Session.ID, func(s *Session) { s.Viewed(seen) })
	}
}

// place returns the searched place without typed text: the city's name comes from the hotels found there, and a box is
// extended to its cells, because its centre may be the visitor's location.
func (s Search) place() GeoQuery {
	g := s.Query.Geo
	g.City, _ = s.city()
	g.Region, g.Box = "", g.coarse()
	return g
}

// city returns the city and country of the shown hotels of a search by city name, or "" if they differ.
func (s Search) city() (name, country string) {
	if s.Query.Geo.Mode != City {
		return "", ""
	}
	for i, l := range s.Shown {
		if i > 0 && (l.City != name || l.Country != country) {
			return "", ""
		}
		name, country = l.City, l.Country
	}
	return name, country
}

// keys returns the names of the filters that were set. An amenity is included only if a hotel on the page has it.
func (s Search) keys() []string {
	keys, f := []string{}, s.Query.Filters
	if f == nil {
		return keys
	}
	for _, a := range f.Amenities {
		if slices.ContainsFunc(s.Shown, func(l Listing) bool { return slices.Contains(l.Amenities, a) }) {
			keys = append(keys, a)
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
			keys = append(keys, filter.name)
		}
	}
	return keys
}

// searchedPlace is the searched place in events.
type searchedPlace struct {
	Mode    GeoMode `json:"mode"`
	City    string  `json:"city,omitzero"`
	Country string  `json:"country,omitzero"`
}

type searchExecuted struct {
	Session       id.GuestSession  `json:"guestSessionId"`
	Search        id.SearchSession `json:"searchSessionId"`
	QueryHash     string           `json:"queryHash"`
	Kind          SearchKind       `json:"kind"`
	Geo           searchedPlace    `json:"geo"`
	Dates         DateRange        `json:"dates"`
	Occupancy     party            `json:"occupancy"`
	FilterKeys    []string         `json:"filterKeys"`
	Sort          SortKey          `json:"sortKey"`
	Page          Page             `json:"page"`
	ResultCount   int              `json:"resultCount"`
	FromCache     bool             `json:"fromCache"`
	CompositionMs int64            `json:"compositionMs"`
	Currency      money.Currency   `json:"currency"`
	Locale        locale.Tag       `json:"locale"`
}

func (s Search) payload(v Visitor, h SearchHistory) searchExecuted {
	city, country := s.city()
	o := s.Query.Occupancy
	return searchExecuted{
		Session:   v.Session.ID,
		Search:    h.Search,
		QueryHash: h.QueryHash,
		Kind:      s.Kind,
		Geo: searchedPlace{
			Mode:    s.Query.Geo.Mode,
			City:    city,
			Country: country,
		},
		Dates: s.Query.Dates,
		Occupancy: party{
			Adults:   o.Adults,
			Children: o.Children,
			Rooms:    o.Rooms,
		},
		FilterKeys:    s.keys(),
		Sort:          s.Query.Sort,
		Page:          s.Page,
		ResultCount:   s.Count,
		FromCache:     s.State == cache.Hit,
		CompositionMs: max(0, s.Took.Milliseconds()),
		Currency:      v.Currency,
		Locale:        v.Locale,
	}
}
