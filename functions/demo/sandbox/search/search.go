// Package search finds hotels of all tenants in which a party can stay.
package search

import (
	"context"
	"time"

	"melmastoon.ghasi.io/functions/demo/sandbox"
	"melmastoon.ghasi.io/functions/demo/sandbox/internal/scenario"
	"melmastoon.ghasi.io/functions/demo/sandbox/internal/search"
	"melmastoon.ghasi.io/functions/demo/sandbox/internal/standin"
	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
)

// Function serves POST /sandbox/search/v1/searches.
var Function = sandbox.HTTP(fn.Spec{
	Name:    "sandbox-search",
	Route:   "POST /sandbox/search/v1/searches",
	Uses:    fn.Uses{fn.Postgres},
	Timeout: 2 * time.Second,
}, New)

const (
	maxPage   = 200
	maxOffset = 10_000 // limit of paging
)

// A Request is the query and the page of results.
type Request struct {
	Geo       search.Where      `json:"geo"`
	Dates     search.Dates      `json:"dates"`
	Occupancy search.Travellers `json:"occupancy"`
	Filters   search.Filters    `json:"filters,omitzero"`
	Sort      search.Sort       `json:"sortKey"`
	Page      Page              `json:"page"`
	Currency  money.Currency    `json:"currency,omitzero"` // for comparing prices; the price filter's takes precedence
}

// A Page is the number of listings and their offset.
type Page struct {
	Limit  int `json:"limit"`
	Offset int `json:"offset"`
}

func (r *Request) query() search.Query {
	return search.Query{Where: r.Geo, Dates: r.Dates, Party: r.Occupancy, Filters: r.Filters}
}

// Validate rejects a query that cannot be answered.
func (r *Request) Validate() error {
	if !r.Sort.Known() {
		return standin.Refuse("/sortKey", "known", "Must be a supported sort order.")
	}
	if r.Page.Limit < 1 || r.Page.Limit > maxPage || r.Page.Offset < 0 || r.Page.Offset > maxOffset {
		return standin.Refuse("/page", "range", "Must have a limit of 1 to 200 and an offset of 0 to 10000.")
	}
	return r.query().Validate()
}

// A Response is a page of listings and their total number, with the name of the searched place and its cells if it is small.
type Response struct {
	Listings []search.Listing  `json:"listings"`
	Total    int               `json:"total"`
	Place    search.NamedPlace `json:"place"`
	Cells    []string          `json:"geoCells,omitempty"`
}

type handler struct {
	listings search.Listings
}

// New returns the handler with its stores and clients.
func New(e env.Env) (fn.Serve[Request, Response], error) {
	return (&handler{search.OpenListings(e)}).find, nil
}

func (h *handler) find(ctx context.Context, c fn.Call[Request]) (out Response, err error) {
	if out.Place, err = h.listings.Place(ctx, c.In.Geo); err != nil {
		return out, err
	}
	if out.Cells, err = h.listings.Cells(ctx, c.In.Geo); err != nil {
		return out, err
	}
	if scenario.Requested(c.Header, scenario.SoldOut) {
		out.Listings = []search.Listing{}
		return out, nil
	}
	out.Listings, out.Total, err = h.listings.Search(ctx, c.In.query(), search.Slice{
		Sort: c.In.Sort, Limit: c.In.Page.Limit, Offset: c.In.Page.Offset, Currency: c.In.Currency})
	return out, err
}
