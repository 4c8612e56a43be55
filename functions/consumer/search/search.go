// Package search finds hotels of all tenants for a stay.
package search

import (
	"context"
	"time"

	"melmastoon.ghasi.io/functions/consumer"
	"melmastoon.ghasi.io/functions/consumer/internal/search"
	"melmastoon.ghasi.io/functions/consumer/internal/session"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/locale"
	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
)

// Function serves POST /bff/consumer/v1/search.
var Function = consumer.HTTP(fn.Spec{
	Name:      "consumer-search",
	Route:     "POST " + consumer.Base + "/search",
	Uses:      fn.Uses{fn.Postgres, fn.Documents, fn.Upstream("search"), fn.Upstream("pricing"), fn.Upstream("theme")},
	Publishes: fn.Subjects{session.SearchExecutedV1},
	Timeout:   2 * time.Second,
}, New)

// A Request holds the query and the page.
type Request struct {
	Geo       search.GeoQuery              `json:"geo"`
	Dates     search.DateRange             `json:"dates"`
	Occupancy search.Occupancy             `json:"occupancy"`
	Filters   *search.Filters              `json:"filters,omitzero"`
	Sort      fn.Maybe[search.SortKey]     `json:"sortKey"`
	Page      fn.Maybe[search.PageRequest] `json:"page"`
}

func (r *Request) query() search.Query {
	return search.Query{Geo: r.Geo, Dates: r.Dates, Occupancy: r.Occupancy, Filters: r.Filters, Sort: r.Sort.Or(search.Recommended)}
}

// ValidateAt rejects a query that is invalid at that time.
func (r *Request) ValidateAt(now time.Time) error { return r.query().CheckOn(r.page(), now) }

func (r *Request) page() search.Page { return r.Page.Or(search.PageRequest{}).Page() }

// A Response is a page of hotels. Parts that were not available in time are null, and listed in Degraded.
type Response struct {
	fn.Reply `json:"-"`
	Search   id.SearchSession     `json:"searchSessionId"`
	Results  []search.ListingCard `json:"results"`
	Page     search.CountedPage   `json:"page"`
	Locale   locale.Tag           `json:"locale"`
	Currency money.Currency       `json:"currency"`
	Stale    bool                 `json:"stale"`
	Degraded []string             `json:"degraded,omitempty"`
}

// finder finds hotels and composes their cards.
type finder interface {
	List(context.Context, search.ListRequest) (search.Results, error)
}

// recorder records and publishes searches.
type recorder interface {
	Order(session.Visitor, search.Query, time.Time) search.Order
	Searched(context.Context, session.Visitor, search.Execution, time.Time) id.SearchSession
}

type handler struct {
	hotels  finder
	history recorder
	now     func() time.Time
}

// New returns the handler with its stores and clients.
func New(e env.Env) (consumer.Serve[Request, Response], error) {
	history, err := session.OpenHistory(e)
	return (&handler{hotels: search.OpenSearches(e), history: history, now: e.Now}).search, err
}

func (h *handler) search(ctx context.Context, c consumer.Call[Request]) (out Response, err error) {
	query, page := c.In.query(), c.In.page()
	shown := h.history.Order(c.Visitor, query, c.Now)
	found, err := h.hotels.List(ctx, search.ListRequest{Query: query, Page: page, Shown: shown, Locale: c.Locale, Currency: c.Currency})
	if err != nil {
		return out, err
	}
	recorded := h.history.Searched(ctx, c.Visitor, found.Execution(query, page, h.now().Sub(c.Now)), c.Now)
	reply := fn.OK.Reply().FromCache(string(found.State)).Varies("Accept-Language", "Cookie", "X-Currency")
	return Response{
		Reply:    reply,
		Search:   recorded,
		Results:  found.Cards,
		Page:     search.CountedPage{Page: page, Total: found.Total},
		Locale:   c.Locale,
		Currency: c.Currency,
		Stale:    found.Stale,
		Degraded: found.Missing,
	}, nil
}
