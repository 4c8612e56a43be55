// Package searchmap finds hotels of all tenants for a map.
package searchmap

import (
	"context"
	"time"

	"melmastoon.ghasi.io/functions/demo/sandbox"
	"melmastoon.ghasi.io/functions/demo/sandbox/internal/scenario"
	"melmastoon.ghasi.io/functions/demo/sandbox/internal/search"
	"melmastoon.ghasi.io/functions/demo/sandbox/internal/standin"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
)

// Function serves POST /sandbox/search/v1/pins.
var Function = sandbox.HTTP(fn.Spec{
	Name:    "sandbox-searchmap",
	Route:   "POST /sandbox/search/v1/pins",
	Uses:    fn.Uses{fn.Postgres},
	Timeout: 2 * time.Second,
}, New)

const maxPins = 500

// minPins is above the number of cells at the coarsest resolution, so that pins can represent all hotels of the earth.
const minPins = 130

// A Request is the area that the map shows, a stay, a party and filters.
type Request struct {
	Geo       search.Where      `json:"geo"`
	Dates     search.Dates      `json:"dates"`
	Occupancy search.Travellers `json:"occupancy"`
	Filters   search.Filters    `json:"filters,omitzero"`
	Limit     int               `json:"limit"`
}

func (r *Request) query() search.Query {
	return search.Query{Where: r.Geo, Dates: r.Dates, Party: r.Occupancy, Filters: r.Filters}
}

// Validate rejects a query whose area is not that of a map.
func (r *Request) Validate() error {
	if r.Geo.Box == nil {
		return standin.Refuse("/geo", "one", "Must be boundingBox on this route.")
	}
	if r.Limit < minPins || r.Limit > maxPins {
		return standin.Refuse("/limit", "range", "Must be 130 to 500 pins.")
	}
	return r.query().Validate()
}

// A Response lists pins of all hotels, with the name of the searched place and its cells if it is small. Total is the number of
// hotels, and the sum of the pins' counts.
type Response struct {
	Pins  []search.Pin      `json:"pins"`
	Total int               `json:"total"`
	Place search.NamedPlace `json:"place"`
	Cells []string          `json:"geoCells,omitempty"`
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
		out.Pins = []search.Pin{}
		return out, nil
	}
	out.Pins, out.Total, err = h.listings.Pins(ctx, c.In.query(), c.In.Limit)
	return out, err
}
