package search

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/locale"
	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/platform/cache"
	"melmastoon.ghasi.io/shared/platform/document"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/upstream"
)

// A Listing represents one hotel in the search service's index.
type Listing struct {
	Property  id.Property  `json:"propertyId"`
	Tenant    id.Tenant    `json:"tenantId"`
	Slug      string       `json:"tenantSlug"`
	Name      locale.Text  `json:"name"`
	City      string       `json:"city"`
	Country   string       `json:"country"`
	Geo       Position     `json:"geo"`
	Thumbnail Thumbnail    `json:"thumbnail"`
	Stars     int          `json:"starRating"`
	Rating    *GuestRating `json:"guestRating"`
	Amenities []string     `json:"amenities"`
	Type      string       `json:"propertyType"`
	Badges    []Badge      `json:"badges"`
}

// A Position is a place on earth, in degrees.
type Position struct {
	Lat float64 `json:"lat"`
	Lng float64 `json:"lng"`
}

// A Thumbnail is the picture of a hotel in lists.
type Thumbnail struct {
	URL string      `json:"url"`
	Alt locale.Text `json:"alt"`
}

// A GuestRating is the average rating by guests, with the number of ratings.
type GuestRating struct {
	Value float64 `json:"value"`
	Count int     `json:"count"`
}

// Found is a page of hotels, with the time of the search.
type Found struct {
	Listings []Listing  `json:"listings"`
	Total    int        `json:"total"`
	Place    NamedPlace `json:"place"`
	At       time.Time  `json:"at"`                 // time of the request to the search service
	Cells    []string   `json:"geoCells,omitempty"` // of the searched place; none if it is large
}

// A Pin is one hotel on a map, or the cluster of all hotels in one cell. A cluster has the ids of its most popular hotel.
type Pin struct {
	Property id.Property `json:"propertyId"`
	Tenant   id.Tenant   `json:"tenantId"`
	Geo      Position    `json:"geo"`
	Count    int         `json:"count"` // hotels in the cluster
}

// FoundPins holds the pins of a part of a map. Total is the number of hotels there.
type FoundPins struct {
	Pins  []Pin      `json:"pins"`
	Total int        `json:"total"`
	Place NamedPlace `json:"place"`
	At    time.Time  `json:"at"`
	Cells []string   `json:"geoCells,omitempty"`
}

// hotels returns the number of hotels in the pins.
func (f FoundPins) hotels() (n int) {
	for _, p := range f.Pins {
		n += p.Count
	}
	return n
}

// Listings is the client of the search service, with a cache: at most one request per minute for each query.
type Listings struct {
	client  *upstream.Client
	found   *cache.Cache[Found]
	results *cache.Cache[Found]
	pinned  *cache.Cache[FoundPins]
	indexed recentChanges
	now     func() time.Time
}

// listPolicy is the cache policy of search results.
var listPolicy = cache.Policy{Fresh: time.Minute, Stale: 10 * time.Minute}

// maxResult is the number of hotels in one request to the search service. Pages are cut from this result.
const maxResult = 200

// resultLife is the time for which a result is kept for paging: ten minutes, plus the minute for which it is served as a first
// page, plus one. It is shorter than statusForLists, so a suspended hotel does not reappear in an old result.
const resultLife = 12 * time.Minute

// OpenListings opens the client, which uses hedged requests.
func OpenListings(e env.Env) *Listings {
	policy := upstream.Policy{Timeout: 1500 * time.Millisecond, Retries: 1, HedgeAfter: 800 * time.Millisecond}
	return &Listings{
		client:  upstream.Open(e, "search", policy),
		found:   cache.Open[Found](e, "consumer-search-list", listPolicy),
		results: cache.Open[Found](e, "consumer-search-result", cache.Policy{Fresh: resultLife}),
		pinned:  cache.Open[FoundPins](e, "consumer-search-map", listPolicy),
		indexed: openIndexed(e),
		now:     e.Now,
	}
}

// openIndexed opens the set of recently indexed hotels. It has eight documents, because these events are frequent. A change is
// kept for as long as cached values depend on it.
func openIndexed(e env.Env) recentChanges {
	return openChanges(e, "listing", 8, listPolicy.Fresh+listPolicy.Stale+clockError)
}

// searchRequest is the request body of a search.
type searchRequest struct {
	Query
	Page     Page           `json:"page"`
	Currency money.Currency `json:"currency"` // for price comparison
}

// key returns the cache key of a query: a hash, so that it does not reveal search text.
func key(question any, more ...string) document.Key {
	sum := sha256.Sum256([]byte(canonicalJSON(question)))
	return document.KeyOf(hex.EncodeToString(sum[:]), more...)
}

// An Order identifies the result that a visitor pages through: a query's result in one sort order.
type Order struct {
	Sort  SortKey `json:"sortKey"`
	Found int64   `json:"found"` // time of the search, in microseconds
}

// Page returns a page of hotels and the order of the result that it was cut from. The first page is cut from the current
// result. Further pages are cut from the result that the visitor saw before, if it is still cached, because rank changes with
// every click. Pages beyond the result are fetched separately, without the hotels of the result.
func (l *Listings) Page(ctx context.Context, q Query, c money.Currency, p Page, shown Order) (Found, Order, cache.State, error) {
	whole, state, err := l.result(ctx, searchRequest{Query: q, Page: Page{Limit: maxResult}, Currency: c}, p, shown)
	if err != nil {
		return Found{}, shown, state, err
	}
	order, page := Order{q.Sort, whole.At.UnixMicro()}, whole
	page.Listings = whole.part(p)
	beyond := Page{Limit: min(p.Limit, p.Offset+p.Limit-maxResult), Offset: max(p.Offset, maxResult)}
	if beyond.Limit <= 0 || len(whole.Listings) < maxResult {
		return page, order, state, nil
	}
	rest, how, err := l.Find(ctx, q, c, beyond)
	if err != nil {
		return Found{}, order, how, err
	}
	known := map[id.Property]bool{}
	for _, listing := range whole.Listings {
		known[listing.Property] = true
	}
	others := slices.DeleteFunc(slices.Clone(rest.Listings), func(l Listing) bool { return known[l.Property] })
	page.Listings = slices.Concat(page.Listings, others)
	return page, order, cache.Worst(state, how), nil
}

// part returns the listings on a page.
func (f Found) part(p Page) []Listing {
	n := len(f.Listings)
	return f.Listings[min(p.Offset, n):min(p.Offset+p.Limit, n)]
}

var errResultExpired = errors.New("listings: the result is no longer kept")

// result returns the result that the visitor pages through, or the current result if that is no longer cached.
func (l *Listings) result(ctx context.Context, question searchRequest, p Page, shown Order) (Found, cache.State, error) {
	if p.Offset > 0 && shown.Sort == question.Sort {
		kept, state, err := l.results.Fetch(ctx, question.resultKey(shown.Found), nil, func(context.Context) (Found, error) { return Found{}, errResultExpired })
		if err == nil {
			return kept, state, nil
		}
	}
	return l.find(ctx, question, p)
}

// key returns the cache key of the request. Names of places that differ in case have one key.
func (a searchRequest) key(more ...string) document.Key {
	a.Query = a.folded()
	return key(a, more...)
}

// resultKey returns the cache key of the result with that search time.
func (a searchRequest) resultKey(found int64) document.Key {
	return a.key("result", strconv.FormatInt(found, 10))
}

// Find returns a page of hotels without paging state.
func (l *Listings) Find(ctx context.Context, q Query, c money.Currency, p Page) (Found, cache.State, error) {
	return l.find(ctx, searchRequest{Query: q, Page: p, Currency: c}, Page{Limit: p.Limit})
}

// find returns a result of which the given page is shown.
func (l *Listings) find(ctx context.Context, question searchRequest, shown Page) (Found, cache.State, error) {
	return fetchIndexed(ctx, l.indexed, func(ctx context.Context, indexed ...string) (Found, cache.State, error) {
		return l.fetch(ctx, question, question.key(indexed...))
	}, func(f Found) contents {
		c := contents{at: f.At, cells: f.Cells}
		for _, listing := range f.part(shown) {
			c.hotels = append(c.hotels, listing.Property)
		}
		return c
	})
}

func (l *Listings) fetch(ctx context.Context, question searchRequest, at document.Key) (Found, cache.State, error) {
	return l.found.Fetch(ctx, at, nil, func(ctx context.Context) (found Found, err error) {
		at := l.now()
		if err := l.client.Post(ctx, "/searches", question, &found, upstream.Read()); err != nil {
			return Found{}, fmt.Errorf("listings: find: %w", err)
		}
		if found.Listings == nil || len(found.Listings) > question.Page.Limit {
			return Found{}, fault.ErrUpstreamUnavailable.Because(errors.New("listings: find: incomplete, or more than asked for"))
		}
		found.At = at
		if question.Page == (Page{Limit: maxResult}) {
			l.results.Put(ctx, question.resultKey(at.UnixMicro()), found, at)
		}
		return found, nil
	})
}

// Indexed records that a hotel was indexed again, in a cell. A cell of another grid is ignored.
func (l *Listings) Indexed(ctx context.Context, property id.Property, geoCell string) error {
	changed := []string{property.String()}
	if area, ok := areaOf(geoCell); ok {
		changed = append(changed, area)
	}
	for _, one := range changed {
		if err := l.indexed.touch(ctx, one); err != nil {
			return fmt.Errorf("listings: indexed %s: %w", property, err)
		}
	}
	return nil
}

// pinsRequest is the request body of a search for pins.
type pinsRequest struct {
	Geo       GeoQuery  `json:"geo"`
	Dates     DateRange `json:"dates"`
	Occupancy Occupancy `json:"occupancy"`
	Filters   *Filters  `json:"filters,omitzero"`
	Limit     int       `json:"limit"`
}

// Pins returns the pins of a box. The request covers the box extended to whole cells, so that a map that is moved a little shows
// the same pins. The values in more become part of the cache key: a caller that knows of a later change passes its time, so that no
// answer from before the change is returned.
func (l *Listings) Pins(ctx context.Context, q Query, more ...string) (FoundPins, cache.State, error) {
	q.Geo.Box = q.Geo.coarse()
	question := pinsRequest{Geo: q.Geo, Dates: q.Dates, Occupancy: q.Occupancy, Filters: q.Filters, Limit: maxShown}
	folded := question
	folded.Filters = q.Filters.folded()
	return fetchIndexed(ctx, l.indexed, func(ctx context.Context, indexed ...string) (FoundPins, cache.State, error) {
		return l.pinned.Fetch(ctx, key(folded, slices.Concat(more, indexed)...), nil, func(ctx context.Context) (FoundPins, error) { return l.requestPins(ctx, question) })
	}, func(f FoundPins) contents {
		c := contents{at: f.At, cells: f.Cells}
		for _, p := range f.Pins {
			c.hotels = append(c.hotels, p.Property)
		}
		return c
	})
}

func (l *Listings) requestPins(ctx context.Context, question pinsRequest) (found FoundPins, err error) {
	at := l.now()
	if err := l.client.Post(ctx, "/pins", question, &found, upstream.Read()); err != nil {
		return FoundPins{}, fmt.Errorf("listings: pins: %w", err)
	}
	impossible := slices.ContainsFunc(found.Pins, func(p Pin) bool { return p.Count < 1 })
	if found.Pins == nil || len(found.Pins) > maxShown || impossible || found.hotels() > found.Total {
		return FoundPins{}, fault.ErrUpstreamUnavailable.Because(errors.New("listings: pins: incomplete, impossible counts, or more than asked for"))
	}
	found.At = at
	return found, nil
}
