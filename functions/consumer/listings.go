package consumer

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

// A Listing is one hotel as the search service knows it.
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
	Badges    []string     `json:"badges"`
}

// A Position is a place on earth, in degrees.
type Position struct {
	Lat float64 `json:"lat"`
	Lng float64 `json:"lng"`
}

// A Thumbnail is the one picture of a hotel that a list shows.
type Thumbnail struct {
	URL string      `json:"url"`
	Alt locale.Text `json:"alt"`
}

// A GuestRating is what guests thought of a hotel.
type GuestRating struct {
	Value float64 `json:"value"`
	Count int     `json:"count"`
}

// Found is a page of hotels as it was found at a moment.
type Found struct {
	Listings []Listing `json:"listings"`
	Total    int       `json:"total"`
	At       time.Time `json:"at"` // when the search service was asked
}

// A Pin is where one hotel is.
type Pin struct {
	Property id.Property `json:"propertyId"`
	Tenant   id.Tenant   `json:"tenantId"`
	Geo      Position    `json:"geo"`
}

// Pinned is where hotels are in a part of a map. Truncated, there are more.
type Pinned struct {
	Pins      []Pin `json:"pins"`
	Total     int   `json:"total"`
	Truncated bool  `json:"truncated"`
}

// Listings is the search service, asked once in a minute for each question.
type Listings struct {
	client  *upstream.Client
	found   *cache.Cache[Found]
	results *cache.Cache[Found]
	pinned  *cache.Cache[Pinned]
	indexed recentChanges
	now     func() time.Time
}

// list is how long what was found serves.
var list = cache.Policy{Fresh: time.Minute, Stale: 10 * time.Minute}

// maxResult is how many hotels of a search are found at once. Pages are cut from this one result.
const maxResult = 200

// resultLife is how long after it was found a result is there to be paged through: ten minutes, the minute for which it is shown
// as a first page, and one more. A suspension hides a hotel in lists for longer than that.
const resultLife = 12 * time.Minute

// OpenListings opens the client. A question that hangs is asked a second time meanwhile.
func OpenListings(e env.Env) *Listings {
	policy := upstream.Policy{Timeout: 1500 * time.Millisecond, Retries: 1, HedgeAfter: 800 * time.Millisecond}
	return &Listings{
		client:  upstream.Open(e, "search", policy),
		found:   cache.Open[Found](e, "consumer-search-list", list),
		results: cache.Open[Found](e, "consumer-search-result", cache.Policy{Fresh: resultLife}),
		pinned:  cache.Open[Pinned](e, "consumer-search-map", list),
		indexed: openIndexed(e),
		now:     e.Now,
	}
}

// openIndexed opens the set of hotels that were indexed recently, which any answer may show: eight documents, for these events
// are frequent. They are kept for as long as anything that is cached by them.
func openIndexed(e env.Env) recentChanges {
	return openChanges(e, "listing", 8, list.Fresh+list.Stale+clockError)
}

// asked is a question as the search service takes it.
type asked struct {
	Query
	Page     Page           `json:"page"`
	Currency money.Currency `json:"currency"` // that prices are compared in
}

// key finds the answer to a question. What was typed is not to be read in it.
func key(question any, more ...string) document.Key {
	sum := sha256.Sum256([]byte(spelled(question)))
	return document.KeyOf(hex.EncodeToString(sum[:]), more...)
}

// An Order identifies the result that a visitor pages through: a query's own, in one order.
type Order struct {
	Sort  SortKey `json:"sortKey"`
	Found int64   `json:"found"` // when, in microseconds
}

// Page returns a page of hotels, and the result that it was cut from. A first page is cut from the present result, further pages
// from the one that the visitor was shown before, if it is still there: rank changes with every click. Beyond a result each page
// is asked for by itself, without the hotels of the result.
func (l *Listings) Page(ctx context.Context, q Query, c money.Currency, p Page, shown Order) (Found, Order, cache.State, error) {
	whole, state, err := l.result(ctx, asked{Query: q, Page: Page{Limit: maxResult}, Currency: c}, p, shown)
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

// part is the part of the listings that is on a page.
func (f Found) part(p Page) []Listing {
	n := len(f.Listings)
	return f.Listings[min(p.Offset, n):min(p.Offset+p.Limit, n)]
}

var errGone = errors.New("listings: the result is no longer kept")

// result is what the visitor pages through, or else the present result.
func (l *Listings) result(ctx context.Context, question asked, p Page, shown Order) (Found, cache.State, error) {
	if p.Offset > 0 && shown.Sort == question.Sort {
		kept, state, err := l.results.Fetch(ctx, question.result(shown.Found), nil, func(context.Context) (Found, error) { return Found{}, errGone })
		if err == nil {
			return kept, state, nil
		}
	}
	return l.find(ctx, question, p)
}

// result is the key of the result that was found at a moment.
func (a asked) result(found int64) document.Key {
	return key(a, "result", strconv.FormatInt(found, 10))
}

// Find returns a page of hotels by itself.
func (l *Listings) Find(ctx context.Context, q Query, c money.Currency, p Page) (Found, cache.State, error) {
	return l.find(ctx, asked{Query: q, Page: p, Currency: c}, Page{Limit: p.Limit})
}

// find returns hotels of which a part is shown. If one of these was indexed since, the first caller finds them anew; a part that
// does not show it yet is a minute old at most.
func (l *Listings) find(ctx context.Context, question asked, shown Page) (Found, cache.State, error) {
	found, state, err := l.fetch(ctx, question, key(question))
	if err != nil || (state != cache.Hit && state != cache.Stale) {
		return found, state, err
	}
	newest := l.newest(ctx, found.At, found.part(shown))
	if newest.IsZero() {
		return found, state, nil
	}
	fresh, state, err := l.fetch(ctx, question, key(question, newest.Format(time.RFC3339Nano)))
	if err != nil {
		return found, cache.Stale, nil
	}
	return fresh, state, nil
}

func (l *Listings) fetch(ctx context.Context, question asked, at document.Key) (Found, cache.State, error) {
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
			l.results.Learn(ctx, question.result(at.UnixMicro()), nil, found, at)
		}
		return found, nil
	})
}

// newest is when the last of these hotels was indexed after they were found, zero where none was.
func (l *Listings) newest(ctx context.Context, found time.Time, listings []Listing) (last time.Time) {
	all := make([]string, len(listings))
	for i, listing := range listings {
		all[i] = listing.Property.String()
	}
	changes, _ := l.indexed.of(ctx, all...) // without them the list is a minute old at most
	for _, c := range changes {
		if c.At.After(found) && c.At.After(last) {
			last = c.At
		}
	}
	return last
}

// Indexed notes that a hotel was indexed anew.
func (l *Listings) Indexed(ctx context.Context, property id.Property) error {
	if err := l.indexed.touch(ctx, property.String()); err != nil {
		return fmt.Errorf("listings: indexed %s: %w", property, err)
	}
	return nil
}

// scope is a question for pins as the search service takes it.
type scope struct {
	Geo       GeoQuery  `json:"geo"`
	Dates     DateRange `json:"dates"`
	Occupancy Occupancy `json:"occupancy"`
	Filters   *Filters  `json:"filters,omitzero"`
	Limit     int       `json:"limit"`
}

// maxPins is as many as the search service tells at once.
const maxPins = 500

// Pins returns where hotels are in a box. The search service is asked for the cells of the box.
func (l *Listings) Pins(ctx context.Context, q Query) (Pinned, cache.State, error) {
	box := *q.Geo.Box
	q.Geo.Box = box.cells()
	question := scope{Geo: q.Geo, Dates: q.Dates, Occupancy: q.Occupancy, Filters: q.Filters, Limit: maxPins}
	found, state, err := l.pinned.Fetch(ctx, key(question), nil, func(ctx context.Context) (found Pinned, err error) {
		if err := l.client.Post(ctx, "/pins", question, &found, upstream.Read()); err != nil {
			return Pinned{}, fmt.Errorf("listings: pins: %w", err)
		}
		if found.Pins == nil || len(found.Pins) > maxPins {
			return Pinned{}, fault.ErrUpstreamUnavailable.Because(errors.New("listings: pins: incomplete, or more than asked for"))
		}
		return found, nil
	})
	return found.inside(box), state, err
}
