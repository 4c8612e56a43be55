// Package search finds hotels of all tenants for a stay.
package search

import (
	"context"
	"time"

	"melmastoon.ghasi.io/functions/consumer"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/locale"
	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
)

// Function handles POST /bff/consumer/v1/search.
var Function = consumer.HTTP(fn.Spec{
	Name:      "consumer-search",
	Route:     "POST " + consumer.Base + "/search",
	Uses:      fn.Uses{fn.Postgres, fn.Documents, fn.Upstream("search"), fn.Upstream("pricing"), fn.Upstream("theme")},
	Publishes: fn.Subjects{consumer.SearchExecutedV1},
	Timeout:   2 * time.Second,
}, New)

// A Request holds the query and the page.
type Request struct {
	Geo       consumer.GeoQuery          `json:"geo"`
	Dates     consumer.DateRange         `json:"dates"`
	Occupancy consumer.Occupancy         `json:"occupancy"`
	Filters   *consumer.Filters          `json:"filters,omitzero"`
	Sort      fn.Maybe[consumer.SortKey] `json:"sortKey"`
	Page      fn.Maybe[consumer.Part]    `json:"page"`
}

func (r *Request) query() consumer.Query {
	return consumer.Query{Geo: r.Geo, Dates: r.Dates, Occupancy: r.Occupancy, Filters: r.Filters, Sort: r.Sort.Or(consumer.Recommended)}
}

// ValidateAt rejects a query that is invalid at that time.
func (r *Request) ValidateAt(now time.Time) error { return r.query().CheckOn(r.page(), now) }

func (r *Request) page() consumer.Page { return r.Page.Or(consumer.Part{}).Page() }

// A Response is a page of hotels. Parts that were not available in time are null, and listed in Degraded.
type Response struct {
	fn.Reply `json:"-"`
	Search   id.SearchSession       `json:"searchSessionId"`
	Results  []consumer.ListingCard `json:"results"`
	Page     consumer.Counted       `json:"page"`
	Locale   locale.Tag             `json:"locale"`
	Currency money.Currency         `json:"currency"`
	Stale    bool                   `json:"stale"`
	Degraded []string               `json:"degraded,omitempty"`
}

// finder finds hotels and composes their cards.
type finder interface {
	List(context.Context, consumer.Visitor, consumer.Query, consumer.Page, consumer.Order) (consumer.Results, error)
}

// noter records and publishes searches.
type noter interface {
	Order(consumer.Visitor, consumer.Query, time.Time) consumer.Order
	Searched(context.Context, consumer.Visitor, consumer.Search, time.Time) id.SearchSession
}

type searcher struct {
	hotels finder
	diary  noter
	now    func() time.Time
}

// New returns the handler with the dependencies that its Spec declares.
func New(e env.Env) (consumer.Serve[Request, Response], error) {
	diary, err := consumer.OpenDiary(e)
	return (&searcher{hotels: consumer.OpenSearches(e), diary: diary, now: e.Now}).search, err
}

func (s *searcher) search(ctx context.Context, c consumer.Call[Request]) (out Response, err error) {
	query, page := c.In.query(), c.In.page()
	found, err := s.hotels.List(ctx, c.Visitor, query, page, s.diary.Order(c.Visitor, query, c.Now))
	if err != nil {
		return out, err
	}
	search := s.diary.Searched(ctx, c.Visitor, found.Executed(query, page, s.now().Sub(c.Now)), c.Now)
	reply := fn.OK.Reply().FromCache(string(found.State)).Varies("Accept-Language", "Cookie", "X-Currency")
	return Response{
		Reply:    reply,
		Search:   search,
		Results:  found.Cards,
		Page:     consumer.Counted{Page: page, Total: found.Total},
		Locale:   c.Locale,
		Currency: c.Currency,
		Stale:    found.Stale,
		Degraded: found.Missing,
	}, nil
}
